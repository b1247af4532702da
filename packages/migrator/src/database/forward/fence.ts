import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Catalog, entryNamed } from "../layouts/catalog.ts";
import type { MetricsTable } from "../layouts/layout.ts";
import type { Step } from "../step.ts";

const MESSAGE =
  "This database was migrated to version 16: the table metrics is now interactions, which no version of the program that wrote it can use. Nothing was written. Use a program of perdura 16, or run perdura-migrate down to restore the table.";

/** Name of the trigger that handles new rows. */
const FENCE_TRIGGER = "perdura_fence";

const COLUMNS = ["id", "user_id", "empathy_level", "success", "response_time_ms", "timestamp", "metadata"];

/**
 * Creates a view under the old name, with which every first access of a pre-16 program fails with an error:
 *
 * - `INSERT INTO metrics` runs the trigger, which raises the message (the columns exist so that the statement gets that
 * far);
 * - reading also fails with the message: an invalid JSON path is the only error of an expression that includes free
 * text;
 * - `CREATE TABLE IF NOT EXISTS metrics` makes no table, because the name is taken;
 * - `CREATE INDEX … ON metrics`, which each of those programs runs at its start, fails with "views may not be indexed";
 * - a program of 15.0.0 or later that wants to drop the levels fails as well: it can neither change the view nor build
 * a
 * table `metrics_new` ({@link blockRebuilding}).
 *
 * The view uses no table, so that it never prevents a later ALTER TABLE.
 */
const tombstone: Step = {
  title: "create a view metrics that makes pre-16 programs fail with a clear message",
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

/** The table that a program of 15.0.0 or later builds at its start if it finds a column `empathy_level`. */
const REBUILT = "metrics_new";

/**
 * Occupies that name, so that such a program fails before it writes anything: otherwise it would fail only when it
 * replaces the view by its table, and leave that table.
 */
const blockRebuilding: Step = {
  title: `create a view ${REBUILT} that makes programs of 15.0.0 or later fail before they create such a table`,
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
 * @param catalog The present schema: a table that such a program left keeps its name.
 */
export function fenceSteps(old: MetricsTable, catalog: Catalog): Step[] {
  return [
    tombstone,
    // The table of a half-upgraded layout is renamed.
    ...(entryNamed(catalog, REBUILT) === undefined || old.name === REBUILT ? [blockRebuilding] : []),
  ];
}
