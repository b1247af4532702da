import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { commandAdapter } from "../../../../packages/conformance/src/protocol/stdio.ts";
import { Session } from "../../../../packages/conformance/src/runner/session.ts";
import type { JsonObject } from "../../../../packages/conformance/src/values/json_value.ts";
import { LIBRARIES, STATES } from "./content.ts";
import { INTERACTIONS } from "./interactions.ts";

/**
 * Lets the implementation of an adapter write gold files. The protocol has no clock, so times are those of the writing.
 * @throws {Error} when an operation fails.
 */
export async function writeThroughAdapter(command: string, line: "15" | "16", folder: string): Promise<void> {
  const session = await Session.open(commandAdapter(command), { line, sandbox: folder, timeoutMs: 10_000 });
  try {
    const call = async (op: string, args: object, names: { handle?: string; keep?: string } = {}): Promise<void> => {
      const answer = await session.send({ type: "call", op, args: args as JsonObject, ...names });
      if (answer.type !== "ok") throw new Error(`${command}: ${op} answered ${JSON.stringify(answer)}`);
    };
    await session.send({ type: "begin", case: "gold", directory: folder });
    for (const [name, patterns] of Object.entries(LIBRARIES)) {
      await call("PatternLibrary", { patterns }, { keep: "library" });
      await call("save_to_json", { filepath: join(folder, `${name}.json`) }, { handle: "library" });
      await call("save_to_sqlite", { db_path: join(folder, `${name}.db`) }, { handle: "library" });
    }
    await call("MetricsCollector", { db_path: join(folder, "metrics.db") }, { keep: "metrics" });
    for (const { level, metadata, ...rest } of INTERACTIONS) {
      if (line === "15")
        await call(
          "record_metric",
          { ...rest, empathy_level: level, metadata: metadata ?? null },
          { handle: "metrics" },
        );
      else await call("record_interaction", { ...rest, level }, { handle: "metrics" });
    }
    if (line === "15") {
      mkdirSync(join(folder, "states"), { recursive: true });
      await call("StateManager", { state_dir: join(folder, "states") }, { keep: "states" });
      for (const state of Object.values(STATES))
        await call("save_state", { user_id: state.user_id, state }, { handle: "states" });
    }
    await session.send({ type: "end" });
  } finally {
    await session.close(false);
  }
}
