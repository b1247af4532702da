import { tableNames } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import { replaceUnparsable, type UnparsableSteps } from "../objects/unparsable_objects.ts";
import type { RepairedReference } from "../record/migration_record.ts";
import { type Catalog, schemaEntries, type SchemaEntry } from "../sql/catalog.ts";
import { isRenamed, type MetricsTable, renamedColumns, SIDE_TABLE } from "../layouts/metrics_table.ts";
import { rowBefore } from "../record/row_before.ts";
import { rewriteSchema } from "../sql/schema_text.ts";
import { sqlNames } from "../sql/sql_text.ts";
import type { Step } from "../steps/step.ts";
import { type ObjectChanges, createObject } from "./objects.ts";
import { type FormerState } from "./former_state.ts";

/** Temporary name of the present table, while the one of the old layout is filled. */
const MOVED = "perdura_downgrading";

/** Reverts the renames of a migration; SQLite adapts all objects that use the names. */
export function renameSteps(table: MetricsTable): Step[] {
  const { name } = table;
  return [
    ...renamedColumns(table).map(({ name: column, to }): Step => ({
      title: `rename the column ${to} to ${column}`,
      run: (database) =>
        void database.exec(
          `ALTER TABLE main.interactions RENAME COLUMN ${to} TO ${unquotedIfPossible(database, column)}`,
        ),
    })),
    ...(isRenamed(table)
      ? [
          {
            title: `rename the table interactions to ${name}`,
            run: (database: Database) => void database.exec(`ALTER TABLE main.interactions RENAME TO ${sqlName(name)}`),
          },
        ]
      : []),
  ];
}

/**
 * Creates the former table, column by column, and moves every row into it. Dependent objects are not affected: the
 * present table is renamed in SQLite's legacy mode, which leaves all references unchanged.
 *
 * @param entry The former entry of the table in the schema.
 * @param number The number of the migration that changed the table.
 */
export function rebuildStep(table: MetricsTable, entry: SchemaEntry, number: number): Step {
  return {
    title: `rebuild the table ${table.name} in its former layout${table.names.metadata === null ? "" : ", with the metadata in its column"}, and copy every row to it`,
    whole: true,
    run: (database) => {
      const belonging = belongingTo(database, table.name);
      renameAway(database, table.name);
      createObject(database, entry);
      copyRows(database, table, number);
      database.exec(`DROP TABLE main.${MOVED}`);
      for (const object of belonging) createObject(database, object);
    },
  };
}

/** Omits quotes if possible: SQLite would write them everywhere. */
function unquotedIfPossible(database: Database, name: string): string {
  return /^[a-z_]\w*$/i.test(name) && !isKeyword(database, name) ? name : sqlName(name);
}

/** True for a word such as `order`, which SQLite reads as a name only in quotes. */
function isKeyword(database: Database, word: string): boolean {
  try {
    database.prepare(`SELECT NULL AS ${word}`);
    return false;
  } catch (error) {
    if ((error as { code?: unknown }).code === "SQLITE_ERROR") return true;
    throw error;
  }
}

/** Indexes and triggers of a table, in order. */
function belongingTo(database: Database, table: string): SchemaEntry[] {
  return database
    .prepare(
      `SELECT type, name, tbl_name AS "table", sql FROM main.sqlite_schema WHERE type IN ('index', 'trigger') AND tbl_name = ${sqlText(table)} COLLATE NOCASE AND sql IS NOT NULL ORDER BY rowid`,
    )
    .all() as SchemaEntry[];
}

function renameAway(database: Database, table: string): void {
  if (database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE").get(MOVED) !== undefined)
    throw new Stop(
      "refused",
      `The downgrade needs the name ${MOVED} for a temporary table, but another object has it. Rename that object first.`,
    );
  database.pragma("legacy_alter_table = ON");
  try {
    database.exec(`ALTER TABLE main.${sqlName(table)} RENAME TO ${MOVED}`);
  } finally {
    database.pragma("legacy_alter_table = OFF");
  }
}

function copyRows(database: Database, table: MetricsTable, number: number): void {
  const side = hasSideTable(database);
  // The columns have their former names again.
  const filled = rowBefore(
    database,
    { table, number, schema: "main", id: "e.id" },
    { row: "e", nameOf: ({ name }) => name, metadata: side ? "m.metadata" : "NULL" },
  );
  const join = side ? `LEFT JOIN main.${SIDE_TABLE} AS m ON m.interaction_id = e.id ` : "";
  // A row that a pre-16 program could store in spite of a CHECK returns unchanged.
  database.pragma("ignore_check_constraints = ON");
  try {
    database.exec(
      `INSERT INTO main.${sqlName(table.name)} (${sqlNames(filled.map(([column]) => column))}) SELECT ${filled.map(([, value]) => value).join(", ")} FROM main.${MOVED} AS e ${join}ORDER BY e.id`,
    );
  } finally {
    database.pragma("ignore_check_constraints = OFF");
  }
}

/** True if the side table exists; a rename of the old table does not affect it. */
export function hasSideTable(database: Database): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_xinfo(?, 'main') LIMIT 1").get(SIDE_TABLE) !== undefined;
}

/**
 * Restores the former text and order of the schema. SQLite writes changed names in its own way (in quotes, in the case
 * of the new name), and appends objects that are created again.
 *
 * @param restored Objects whose former text is restored.
 * @param former The former schema, in order.
 * @param repaired References whose former text names a missing table.
 */
export function schemaStep(
  restored: readonly SchemaEntry[],
  former: readonly SchemaEntry[],
  repaired: readonly RepairedReference[],
): Step {
  return {
    title: "restore the former text and order of the schema",
    run: (database) => {
      const before = structureOf(database, repaired);
      const present = schemaEntries(database);
      const texts = restored.filter(
        (entry) => isWhole(entry) && present.some((now) => isNamed(now, entry) && now.sql !== entry.sql),
      );
      const ordered = inOrder(present, former);
      if (texts.length === 0 && ordered.every((entry, index) => entry === present[index])) return;
      rewriteSchema(database, () => write(database, texts, ordered));
      // The text must match the stored tables; otherwise SQLite would misread their rows.
      if (structureOf(database, repaired) !== before)
        throw new Error("The recorded text of the schema does not match the tables.");
    },
  };
}

function write(database: Database, texts: readonly SchemaEntry[], ordered: readonly SchemaEntry[]): void {
  const text = database.prepare("UPDATE main.sqlite_schema SET sql = ? WHERE type = ? AND name = ?");
  for (const { type, name, sql } of texts) text.run(sql, type, name);
  const last = database.prepare("SELECT max(rowid) FROM main.sqlite_schema").pluck().get() as number;
  const move = database.prepare("UPDATE main.sqlite_schema SET rowid = ? WHERE type = ? AND name = ?");
  for (const [index, { type, name }] of ordered.entries()) move.run(last + 1 + index, type, name);
  database.exec(`UPDATE main.sqlite_schema SET rowid = rowid - ${last}`);
}

/** Returns false if the text had invalid UTF-8, which a record cannot hold. */
function isWhole({ sql }: SchemaEntry): boolean {
  return sql?.includes("\ufffd") === false;
}

/** Former objects in their former order, then newer ones. */
function inOrder(present: readonly SchemaEntry[], former: readonly SchemaEntry[]): SchemaEntry[] {
  const first = former.flatMap((entry) => present.filter((now) => isNamed(now, entry)));
  return [...first, ...present.filter((entry) => !first.includes(entry))];
}

function isNamed(one: SchemaEntry, other: SchemaEntry): boolean {
  return one.type === other.type && isSame(one.name, other.name);
}

/**
 * Columns, keys, indexes and references of every table, as SQLite reads them from the text; repaired references without
 * the name of the table that they refer to.
 */
function structureOf(database: Database, repaired: readonly RepairedReference[]): string {
  const tables = tableNames(database).ordinary.toSorted();
  const parts = [
    "SELECT * FROM pragma_table_xinfo(?, 'main')",
    "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?, 'main') ORDER BY name",
    "SELECT l.name, x.* FROM pragma_index_list(?, 'main') AS l, pragma_index_xinfo(l.name, 'main') AS x ORDER BY 1, 2",
  ].map((sql) => database.prepare(sql).raw());
  const keys = database.prepare("SELECT * FROM pragma_foreign_key_list(?, 'main')");
  const namesOf = (table: string): unknown[] =>
    (keys.all(table) as { from: string }[]).map((key) =>
      repaired.some((one) => isSame(one.table, table) && isSame(one.column, key.from)) ? { ...key, table: null } : key,
    );
  return JSON.stringify(
    tables.map((table) => [table, ...parts.map((part) => part.all(table)), namesOf(table)]),
  ).toLowerCase();
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * As in a migration; objects whose former text is restored need not be adapted, even if they use a name that changes.
 */
export function replaceUnparsableForDowngrade(
  catalog: Catalog,
  { metrics, rebuilds }: FormerState,
  { restore }: ObjectChanges,
): UnparsableSteps {
  if (metrics === null) return { first: [], last: [], notes: [] };
  const dropped = metrics.names.level === null ? ["level"] : [];
  const renamed = [...(rebuilds ? ["interactions"] : []), ...renamedColumns(metrics).map(({ to }) => to)];
  return replaceUnparsable(catalog, { renamed, dropped }, ({ type, name }) =>
    restore.some((entry) => entry.type === type && entry.name === name),
  );
}
