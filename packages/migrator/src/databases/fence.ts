import { type Catalog, entryNamed } from "../recognise/catalog.ts";
import type { MetricsTable } from "./metrics_table.ts";
import { compatStep } from "./compat_view.ts";
import { sqlText } from "./sql_text.ts";
import type { Step } from "./step.ts";

const MESSAGE =
  "This database was migrated to version 16: the table metrics is now interactions. No version of the program that wrote it can use that; programs of perdura 16 can, and perdura-migrate down brings the table back. Nothing was written.";

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
 * - `CREATE INDEX … ON metrics`, which each of those programs runs at its start, fails with "views may not be indexed";
 * - a program of 15.0.0 or later that wants to drop the levels fails as well: it can neither change the view nor build a
 *   table `metrics_new` ({@link blockRebuilding}).
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

/** The table that a program of 15.0.0 or later builds at its start where it finds a column `empathy_level`. */
const REBUILT = "metrics_new";

/**
 * Takes that name, so that such a program fails before it has written anything: it would fail only once it wants to put its
 * table in the place of the view, and leave it there.
 */
const blockRebuilding: Step = {
  title: `leave a view ${REBUILT}, so that a program of 15.0.0 or later that starts fails before it builds such a table`,
  run: (database) => {
    const columns = COLUMNS.map((column) => `NULL AS ${column}`).join(", ");
    database.exec(`CREATE VIEW main.${REBUILT} AS SELECT ${columns} WHERE false`);
    database.exec(
      `CREATE TRIGGER main.${FENCE_TRIGGER}_new INSTEAD OF INSERT ON ${REBUILT} BEGIN SELECT RAISE(ABORT, ${sqlText(MESSAGE)}); END`,
    );
  },
};

/**
 * @param old The table whose name the view gets.
 * @param catalog What is there: a table that such a program left behind keeps its name.
 */
export function fenceSteps(kind: FenceKind, old: MetricsTable, catalog: Catalog): Step[] {
  return [
    kind === "compat" ? compatStep(old, FENCE_TRIGGER) : tombstone,
    // That of a half-upgraded layout is renamed.
    ...(entryNamed(catalog, REBUILT) === undefined || old.name === REBUILT ? [blockRebuilding] : []),
  ];
}
