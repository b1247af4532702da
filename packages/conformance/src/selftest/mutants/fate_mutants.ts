import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import { answers, ok, receives, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

/** Changes the database before the collector opens it. */
const prepares = (sql: string): Mutation => ({
  before(request) {
    if (request.op !== "MetricsCollector") return request;
    const database = new Database(request.args.db_path as string, { fileMustExist: true });
    database.exec(sql);
    database.close();
    return request;
  },
});

const highest = (args: { level?: unknown }): number => Math.min(5, Math.max(1, Number(args.level)));

/** What becomes of data that ought to have been refused: found by looking afterwards, not by the answer to the call. */
export const FATE_MUTANTS: readonly Mutant[] = [
  row(
    "brings a database of the other line to its own line unasked",
    "U-other-line-metrics",
    16,
    "cross-line/other-line-metrics-fate",
    prepares("ALTER TABLE interactions RENAME COLUMN empathy_level TO level"),
  ),
  row(
    "adds a second column to a database of the other line",
    "U-other-line-metrics",
    15,
    "cross-line/other-line-metrics-fate",
    prepares("ALTER TABLE interactions ADD COLUMN empathy_level INTEGER DEFAULT 1"),
  ),
  row("begins anew in place of a file of notes", "U-not-a-database", 16, "metrics/not-a-database-fate", {
    before(request) {
      if (request.op === "MetricsCollector") rmSync(request.args.db_path as string);
      return request;
    },
  }),
  row(
    "counts a level of 9 as one of 5",
    "U-range",
    16,
    "metrics/range-fate",
    receives("record_interaction", (args) => ({ ...args, level: highest(args) })),
  ),
  row(
    "saves a state under the name that was given",
    "U-state-user-mismatch",
    15,
    "state/user-mismatch-fate",
    receives("save_state", ({ user_id, state }) => ({
      user_id: user_id as string,
      state: { ...(state as object), user_id: user_id as string },
    })),
  ),
  row(
    "has the split modules too early",
    "U-split-modules",
    15,
    "versioning/split-modules-before-16",
    answers("has_module", (answer) => ok(answer, true)),
  ),
];
