import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Catalog, entryNamed } from "../sql/catalog.ts";
import type { Layout } from "../layouts/layout.ts";
import type { Programs } from "../layouts/table_layouts.ts";
import type { Step } from "../steps/step.ts";

const messageFor = (table: string): string =>
  `This database was migrated to version 16: the table ${table} is now interactions, which no version of the program that wrote it can use. Nothing was written. Use a program of perdura 16, or run perdura-migrate down to restore the table.`;

/** Name of the trigger that handles new rows. */
const FENCE_TRIGGER = "perdura_fence";

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
const tombstone = ({ table, columns }: Programs): Step => ({
  title: `create a view ${table} that makes pre-16 programs fail with a clear message`,
  run: (database) => {
    const message = sqlText(messageFor(table));
    const name = sqlName(table);
    database.exec(`CREATE VIEW main.${name} AS SELECT ${empty(columns)} WHERE json_extract('{}', ${message}) IS NULL`);
    database.exec(
      `CREATE TRIGGER main.${FENCE_TRIGGER} INSTEAD OF INSERT ON ${name} BEGIN SELECT RAISE(ABORT, ${message}); END`,
    );
  },
});

/**
 * Occupies the name of the table that such a program builds at its start if it finds levels, so that it fails before it
 * writes anything: otherwise it would fail only when it replaces the view by its table, and leave that table.
 */
const blockRebuilding = ({ table, columns }: Programs, rebuilt: string): Step => ({
  title: `create a view ${rebuilt} that makes programs of 15.0.0 or later fail before they create such a table`,
  run: (database) => {
    const name = sqlName(rebuilt);
    database.exec(`CREATE VIEW main.${name} AS SELECT ${empty(columns)} WHERE false`);
    database.exec(
      `CREATE TRIGGER main.${FENCE_TRIGGER}_new INSTEAD OF INSERT ON ${name} BEGIN SELECT RAISE(ABORT, ${sqlText(messageFor(table))}); END`,
    );
  },
});

function empty(columns: readonly string[]): string {
  return columns.map((column) => `NULL AS ${sqlName(column)}`).join(", ");
}

/**
 * Steps against the programs that wrote the last table of a layout, whose name the view gets.
 *
 * @param catalog The present schema: a table that such a program left keeps its name.
 */
export function fenceSteps({ tables }: Layout, catalog: Catalog): Step[] {
  const old = tables.at(-1);
  if (old?.programs === undefined) return [];
  const { rebuilt } = old.programs;
  // The table of a half-upgraded layout is renamed.
  const isFree = rebuilt !== undefined && (entryNamed(catalog, rebuilt) === undefined || old.table === rebuilt);
  return [tombstone(old.programs), ...(isFree ? [blockRebuilding(old.programs, rebuilt)] : [])];
}
