import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type Catalog, entryNamed } from "../layouts/catalog.ts";
import type { MetricsTable } from "../layouts/layout.ts";
import { sqlName, sqlText } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";

const MESSAGE =
  "This database was migrated to version 16: the table metrics is now interactions, which no version of the program that wrote it can use. Nothing was written. Use a program of perdura 16, or run perdura-migrate down to restore the table.";

/** Kind of the object under the old name. */
export type FenceKind = "tombstone" | "compat";

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
export function fenceSteps(kind: FenceKind, old: MetricsTable, catalog: Catalog): Step[] {
  return [
    kind === "compat" ? compatStep(old, FENCE_TRIGGER) : tombstone,
    // The table of a half-upgraded layout is renamed.
    ...(entryNamed(catalog, REBUILT) === undefined || old.name === REBUILT ? [blockRebuilding] : []),
  ];
}

const WRONG_LEVEL =
  "This database was migrated to version 16, which accepts only levels from 1 to 5. Nothing was written.";

/**
 * Creates a view under the old name that behaves like the table, so that a running pre-16 program continues to read and
 * record. One that starts fails at its CREATE INDEX ("views may not be indexed"); other changes of rows fail as well
 * ("cannot modify metrics because it is a view").
 *
 * @param trigger Name of the trigger that inserts the rows.
 */
function compatStep(old: MetricsTable, trigger: string): Step {
  return {
    title: "create a view metrics through which running pre-16 programs continue to read and record",
    run: (database) => {
      database.exec(viewOf(old));
      database.exec(triggerOf(database, old, trigger));
    },
  };
}

/** Includes the level column even if the table had none, for programs that use it. */
function viewOf(old: MetricsTable): string {
  const columns = old.columns.map((column) => {
    if (column === old.level) return `i.level AS ${sqlName(column)}`;
    return column === old.metadata ? `m.metadata AS ${sqlName(column)}` : `i.${sqlName(column)} AS ${sqlName(column)}`;
  });
  if (old.level === null) columns.push("i.level AS empathy_level");
  return `CREATE VIEW main.metrics AS SELECT ${columns.join(", ")} FROM interactions AS i LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id`;
}

/**
 * Missing values get the defaults of the old table; a missing level becomes the user's current one. A view cannot
 * distinguish an omitted column from NULL, so both get the default: pre-16 programs never specify the timestamp, and
 * rows without one would be worse than replacing a NULL that the old table would have kept. The level is checked after
 * it is stored, because the column's affinity may convert it. `changes()` shows if a row was inserted: a trigger of the
 * user or OR IGNORE may have skipped it.
 */
function triggerOf(database: Database, old: MetricsTable, trigger: string): string {
  const level = `NEW.${sqlName(old.level ?? "empathy_level")}`;
  const current = "(SELECT level FROM interactions WHERE user_id = NEW.user_id ORDER BY id DESC LIMIT 1)";
  const defaults = new Map(
    database.prepare("SELECT lower(name), dflt_value FROM pragma_table_info('interactions', 'main')").raw().all() as [
      string,
      string | null,
    ][],
  );
  const values = old.columns
    .filter((column) => column !== old.level && column !== old.metadata)
    .map((column): [string, string] => {
      const given = `NEW.${sqlName(column)}`;
      const otherwise = defaults.get(column.toLowerCase()) ?? null;
      return [column, otherwise === null ? given : `ifnull(${given}, (${inSingleQuotes(otherwise)}))`];
    });
  values.push(["level", `coalesce(${level}, ${current}, 1)`]);
  const stored = "SELECT level FROM interactions WHERE id = last_insert_rowid()";
  return `CREATE TRIGGER main.${trigger} INSTEAD OF INSERT ON metrics BEGIN
  INSERT INTO interactions (${values.map(([column]) => sqlName(column)).join(", ")}) VALUES (${values.map(([, value]) => value).join(", ")});
  INSERT INTO interaction_metadata (interaction_id, metadata) SELECT last_insert_rowid(), ${metadataOf(old)} WHERE changes() > 0 AND ${metadataOf(old)} IS NOT NULL;
  SELECT RAISE(ABORT, ${sqlText(WRONG_LEVEL)}) FROM (${stored}) WHERE typeof(level) <> 'integer' OR level NOT BETWEEN 1 AND 5;
END`;
}

function metadataOf(old: MetricsTable): string {
  return old.metadata === null ? "NULL" : `NEW.${sqlName(old.metadata)}`;
}

/** A default may be text in double quotes, which would be a name everywhere else. */
function inSingleQuotes(expression: string): string {
  return /^"(?:[^"]|"")*"$/.test(expression) ? sqlText(expression.slice(1, -1).replaceAll('""', '"')) : expression;
}
