import type { MetricsTable } from "./metrics_table.ts";
import { compatStep } from "./compat_view.ts";
import { sqlText } from "./sql_text.ts";
import type { Step } from "./step.ts";

const MESSAGE =
  "This database was migrated to version 16: the table metrics is now interactions. Use a program of version 16 or later. Nothing was written.";

/** What stays under the old name. */
export type FenceKind = "tombstone" | "compat";

/** The name of the trigger that answers for rows. */
const FENCE_TRIGGER = "perdura_fence";

const COLUMNS = ["id", "user_id", "empathy_level", "success", "response_time_ms", "timestamp", "metadata"];

/**
 * Leaves a view under the old name. A program of the old line then fails loudly, whatever it does first:
 *
 * - `INSERT INTO metrics` is answered by the trigger, with the message (the columns are there so that it comes so far);
 * - reading fails with the message too: a path that is none is the one thing that an expression can fail with by name;
 * - `CREATE TABLE IF NOT EXISTS metrics` makes no table, as the name is taken;
 * - `CREATE INDEX … ON metrics`, which each of those programs runs at its start, fails with "views may not be indexed".
 *
 * The view names no table, so that it never stands in the way of a later ALTER TABLE.
 */
const tombstone: Step = {
  title: "leave a view metrics that makes programs before 16 fail with a clear message",
  run: (database) => {
    const columns = COLUMNS.map((column) => `NULL AS ${column}`).join(", ");
    database.exec(
      `CREATE VIEW main.metrics AS SELECT ${columns} WHERE json_extract('{}', ${sqlText(MESSAGE)}) IS NULL`,
    );
    database.exec(
      `CREATE TRIGGER main.${FENCE_TRIGGER} INSTEAD OF INSERT ON metrics BEGIN SELECT RAISE(ABORT, ${sqlText(MESSAGE)}); END`,
    );
  },
};

/** @param old The table whose name the view gets. */
export function fenceSteps(kind: FenceKind, old: MetricsTable): Step[] {
  return [kind === "compat" ? compatStep(old, FENCE_TRIGGER) : tombstone];
}
