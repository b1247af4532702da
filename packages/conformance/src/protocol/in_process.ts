import { parseJson } from "../values/parse_json.ts";
import { AdapterFault } from "./channel.ts";
import type { AdapterSource, Channel } from "./channel.ts";
import type { Adapter, Request } from "./messages.ts";

/**
 * Returns an adapter that runs in this process. Messages are still JSON text, so that both transports see the same
 * values. A synchronous call that never returns cannot be interrupted here: use a command for code that may hang.
 * @param name its name in reports.
 * @param create creates an adapter; called again after a crash.
 * @example
 * ```ts
 * import { inProcessAdapter, runSuite } from "@perdura/conformance";
 *
 * const introduction = {
 *   protocol: 1,
 *   spec_version: "16.0.0",
 *   implementation: { name: "mine", version: "0.1.0", language: "TypeScript" },
 *   capabilities: ["modules"],
 *   choices: {},
 * };
 * const adapter = inProcessAdapter("mine", () => ({
 *   handle({ seq, type }) {
 *     if (type === "hello") return { seq, type: "ok", ...introduction };
 *     return type === "call" ? { seq, type: "ok", value: false } : { seq, type: "ok" };
 *   },
 * }));
 * const { summary } = await runSuite({ adapter, cases: ["versioning/facade-removed"] });
 * console.log(summary.attention); // [ { id: 'versioning/facade-removed', verdict: 'fail' } ]
 * ```
 */
export function inProcessAdapter(
  name: string,
  create: () => Adapter | Promise<Adapter>,
  option = `--implementation ${name}`,
): AdapterSource {
  return { name, transport: "in-process", option, connect: async () => channel(await start(create)) };
}

async function start(create: () => Adapter | Promise<Adapter>): Promise<Adapter> {
  try {
    return await create();
  } catch (error) {
    throw new AdapterFault("crash", `the adapter did not start: ${describe(error)}`);
  }
}

function channel(adapter: Adapter): Channel {
  let diagnostics = "";
  let isKilled = false;
  return {
    async exchange(line, timeoutMs) {
      let timer: NodeJS.Timeout | undefined;
      const began = Date.now();
      // Created only when it is needed: an error with its stack costs more than many answers.
      const late = (): AdapterFault => new AdapterFault("timeout", `no answer within ${timeoutMs} ms`);
      const expired = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(late()), timeoutMs);
      });
      try {
        const answer = await Promise.race([answerOf(adapter, line), expired]);
        if (Date.now() - began > timeoutMs) throw late();
        return answer;
      } catch (error) {
        if (error instanceof AdapterFault) throw error;
        diagnostics = error instanceof Error ? (error.stack ?? error.message) : String(error);
        throw new AdapterFault("crash", `the adapter threw ${describe(error)}`);
      } finally {
        clearTimeout(timer);
      }
    },
    diagnostics: () => diagnostics,
    // Nothing in this process can be killed alone. The adapter stays in memory: no further request reaches it, and
    // the suite looks at the files at once.
    kill: async () => {
      isKilled = true;
    },
    close: async () => {
      // Its files and locks would stay open in this process. What it does now is not judged any more.
      if (isKilled) await Promise.resolve(adapter.handle({ seq: 0, type: "end" })).catch(() => undefined);
    },
  };
}

async function answerOf(adapter: Adapter, line: string): Promise<string> {
  const answer: unknown = await adapter.handle(parseJson(line) as Request);
  return JSON.stringify(answer) ?? "";
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
