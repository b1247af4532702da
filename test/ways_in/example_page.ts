import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { withoutCounts } from "../../dev/tools/pages/without_counts.ts";
import { OUR_NODE_FIRST } from "./our_node.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The folder of an example. */
export const exampleFolder = (name: string): string => join(ROOT, "examples", name);

/** The blocks of an example's page with this language tag. */
export function blocks(name: string, mark: "sh" | "text"): string[] {
  const page = readFileSync(join(exampleFolder(name), "README.md"), "utf8");
  return [...page.matchAll(new RegExp(`^\`\`\`${mark}\n(.*?)^\`\`\`$`, "gms"))].map(([, block]) => block as string);
}

/** Outcome of commands of the page. */
export interface Said {
  status: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs commands of a page in a folder. The suite, which they would fetch from the registry, is the locally built one.
 */
export function runCommands(commands: string, folder: string, environment: Record<string, string> = {}): Said {
  const suite = `${JSON.stringify(process.execPath)} ${join(ROOT, "packages/conformance/bin/perdura-conformance.js")}`;
  const script = commands.replaceAll("npx @perdura/conformance", suite);
  return spawnSync("/bin/sh", ["-e", "-c", script], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: OUR_NODE_FIRST, ...environment },
  });
}

/**
 * A report as a page shows it: without its first paragraph, which contains the version of the suite, without its duration,
 * and without numbers that grow with the suite.
 */
export function comparable(report: string): string {
  return withoutCounts(report.replace(/^perdura-conformance .*\n\n/, "").replace(/ \(\d+\.\d s\)$/m, ""));
}

/** Checks that the page shows these reports; `vitest --update` writes them into it. */
export async function expectShown(name: string, reports: readonly string[]): Promise<void> {
  const page = join(exampleFolder(name), "README.md");
  expect(reports).toHaveLength(blocks(name, "text").length);
  const left = [...reports];
  const text = readFileSync(page, "utf8").replaceAll(BLOCK, () => `\`\`\`text\n${left.shift() ?? ""}\`\`\``);
  await expect(text).toMatchFileSnapshot(page);
}

const BLOCK = /^```text\n.*?^```$/gms;
