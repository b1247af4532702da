import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type Catalog, entryNamed } from "../layouts/catalog.ts";
import type { MetricsTable } from "../layouts/layout.ts";
import { sqlName, sqlText } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";

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

const WRONG_LEVEL =
  "This database was migrated to version 16, which holds levels from 1 to 5 only. Nothing was written.";

/**
 * Leaves a view under the old name that answers as the table did, so that a program of the old line which is running goes
 * on reading and recording. One that starts fails loudly at its CREATE INDEX ("views may not be indexed"); whatever else
 * changes rows fails as well ("cannot modify metrics because it is a view").
 *
 * @param trigger The name of the trigger that takes the rows.
 */
function compatStep(old: MetricsTable, trigger: string): Step {
  return {
    title: "leave a view metrics through which programs before 16 that are running go on reading and recording",
    run: (database) => {
      database.exec(viewOf(old));
      database.exec(triggerOf(database, old, trigger));
    },
  };
}

/** The column of the level stands in it also where the table had none: programs that name it can go on then. */
function viewOf(old: MetricsTable): string {
  const columns = old.columns.map((column) => {
    if (column === old.level) return `i.level AS ${sqlName(column)}`;
    return column === old.metadata ? `m.metadata AS ${sqlName(column)}` : `i.${sqlName(column)} AS ${sqlName(column)}`;
  });
  if (old.level === null) columns.push("i.level AS empathy_level");
  return `CREATE VIEW main.metrics AS SELECT ${columns.join(", ")} FROM interactions AS i LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id`;
}

/**
 * What is not given is what the table would have taken; a level that is not given is the current one of the user. A view
 * cannot tell a column that is not named from one that is given as NULL. Either gets the default: programs of before 16
 * never name the timestamp, and rows without any would be worse than a NULL that the old table would have kept. The level
 * is looked at once it is stored: only then is it what its column makes of it. `changes()` tells whether there is a row: a
 * trigger of the user or OR IGNORE may have passed it over.
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

/** A default may be text in double quotes, which is a name everywhere else. */
function inSingleQuotes(expression: string): string {
  return /^"(?:[^"]|"")*"$/.test(expression) ? sqlText(expression.slice(1, -1).replaceAll('""', '"')) : expression;
}
