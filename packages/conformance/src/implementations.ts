import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "./package_root.ts";
import type { AdapterSource } from "./protocol/channel.ts";
import { inProcessAdapter } from "./protocol/in_process.ts";
import type { Adapter } from "./protocol/messages.ts";

/** Implementations that this package has adapters for; the one on PostgreSQL needs a server. */
export const IMPLEMENTATIONS = ["perdura-15", "perdura-16", "perdura-16-postgres"] as const;

/** The name of a built-in adapter. */
export type ImplementationName = (typeof IMPLEMENTATIONS)[number];

/**
 * Returns a built-in adapter that runs in this process.
 * @throws {Error} when there is no adapter of that name.
 * @example
 * ```ts
 * import { implementationAdapter, runSuite } from "@perdura/conformance";
 *
 * const { summary } = await runSuite({ adapter: implementationAdapter("perdura-16"), areas: ["export"] });
 * console.log(summary.counts.fail); // 0
 * ```
 */
export function implementationAdapter(name: ImplementationName): AdapterSource {
  if (!IMPLEMENTATIONS.includes(name))
    throw new Error(
      `there is no implementation "${String(name)}": choose ${IMPLEMENTATIONS.join(", ")}, or use an adapter command`,
    );
  return inProcessAdapter(name, () => loadAdapter(name));
}

/** Loads a built-in adapter without a channel; the self-test injects faults into it. */
export async function loadAdapter(name: ImplementationName): Promise<Adapter> {
  const { createAdapter } = await importAdapter(name);
  return createAdapter();
}

async function importAdapter(name: ImplementationName): Promise<{ createAdapter: () => Adapter | Promise<Adapter> }> {
  try {
    return (await import(pathToFileURL(adapterFile(name)).href)) as Awaited<ReturnType<typeof importAdapter>>;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    // oxlint-disable-next-line messages/no-decisions -- Node.js names the package in its words only
    const missing = /Cannot find package '([^']+)'/.exec(message)?.[1];
    if (code !== "ERR_MODULE_NOT_FOUND" || missing === undefined) throw error;
    const advice = `npm install ${INSTALLED[name].join(" ")}`;
    const words = `cannot judge ${name}: the package ${missing} is not installed: ${advice}`;
    throw Object.assign(new Error(words, { cause: error }), { code });
  }
}

/** Packages that the adapters import; the suite itself needs none of them. */
const INSTALLED: Readonly<Record<ImplementationName, readonly string[]>> = {
  "perdura-15": ["perdura-15@npm:perdura@latest-15"],
  "perdura-16": ["perdura-16@npm:perdura@latest", "@perdura/migrator"],
  "perdura-16-postgres": ["perdura-16@npm:perdura@latest", "@perdura/postgres", "pg"],
};

/** The adapter's module: the built one next to the built suite, else its source. */
function adapterFile(name: ImplementationName): string {
  const module = name.replace("perdura-", "v").replaceAll("-", "_");
  const runsFromSource = import.meta.url.endsWith(".ts");
  const built = join(packageRoot(), "dist", "adapters", `${module}.js`);
  return !runsFromSource && existsSync(built) ? built : join(packageRoot(), "adapters", `${module}.ts`);
}
