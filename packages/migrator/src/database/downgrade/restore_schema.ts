import { tableNames } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import { replaceUnparsable, type UnparsableSteps } from "../objects/unparsable_objects.ts";
import type { RepairedReference } from "../record/migration_record.ts";
import { type Catalog, schemaEntries, type SchemaEntry } from "../sql/catalog.ts";
import { isRenamed, type MetricsTable, renamedColumns } from "../layouts/metrics_table.ts";
import { rewriteSchema } from "../sql/schema_text.ts";
import type { Step } from "../steps/step.ts";
import { type ObjectChanges, createObject } from "./objects.ts";
import { type FormerState } from "./former_state.ts";
import { copyFormerRows } from "./restore_rows.ts";

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
      // The columns have their former names again.
      copyFormerRows(database, { table, number, id: "e.id", from: MOVED, nameOf: ({ name }) => name });
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
  return schemaEntries(database).filter(
    (entry) => (entry.type === "index" || entry.type === "trigger") && isSame(entry.table, table) && entry.sql !== null,
  );
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
