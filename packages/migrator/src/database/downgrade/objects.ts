import { SIDE_TABLE } from "../layouts/metrics_table.ts";
import { isRollupMetadataTrigger } from "@perdura/internals/metrics/rollup/handover.js";
import { isMetadataTrigger } from "@perdura/internals/metrics/schema.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import { allColumnsOf, type Catalog, entryNamed, type SchemaEntry } from "../sql/catalog.ts";
import type { MigrationRecord } from "../record/migration_record.ts";
import { QUARANTINE_TABLE } from "../record/quarantine.ts";
import { OWN_TABLES, REPAIRED_VALUES_INDEX_NAME } from "../record/side_tables.ts";
import type { Step } from "../steps/step.ts";
import { type FormerState } from "./former_state.ts";

/** Order of removal: a trigger of a view precedes the view. */
const ORDER = ["trigger", "index", "view"];

/** Drops the indexes that a migration built, and the objects that fenced off pre-16 programs. */
export function dropCreatedObjects({ remove }: ObjectChanges, catalog: Catalog): Step[] {
  for (const { name } of remove.filter(({ type }) => type === "view")) assertNoDependents(catalog, name, remove);
  return (
    remove
      // The indexes of its own tables are needed to restore values, and are dropped with them.
      .filter(({ type, table }) => type !== "table" && !OWN_TABLES.has(table))
      .toSorted((one, other) => ORDER.indexOf(one.type) - ORDER.indexOf(other.type))
      .map((entry) => ({
        title: `drop the ${entry.type} ${entry.name}, which ${isOfLibrary(entry) ? "version 16" : "the migration"} created`,
        run: (database) => void database.exec(`DROP ${entry.type.toUpperCase()} main.${sqlName(entry.name)}`),
      }))
  );
}

/** True for the triggers that the library makes for metadata. */
const isOfLibrary = (entry: SchemaEntry): boolean => isMetadataTrigger(entry) || isRollupMetadataTrigger(entry);

/** Creates indexes, views and triggers of the old layout that the migration removed. */
export function createMissingObjects({ restore }: ObjectChanges, { entries }: Catalog): Step[] {
  const isThere = (entry: SchemaEntry): boolean =>
    entries.some(({ type, name }) => type === entry.type && name === entry.name);
  return restore
    .filter((entry) => entry.type !== "table" && !isThere(entry))
    .map((entry) => ({
      title: `create the ${entry.type} ${entry.name} of the pre-16 layout`,
      whole: entry.type === "index",
      run: (database) => createObject(database, entry),
    }));
}

/**
 * Drops the tables in which the migrations kept their records.
 *
 * @param stays True if rows stay in the quarantine.
 */
export function dropOwnTables(catalog: Catalog, { records }: FormerState, stays: boolean): Step[] {
  const before = new Set(records[0]?.former.objects.map(({ name }) => name.toLowerCase()));
  return [...OWN_TABLES]
    .filter((name) => !before.has(name) && entryNamed(catalog, name, "table") !== undefined)
    .filter((name) => !(stays && name === QUARANTINE_TABLE))
    .map((name) => {
      const made = catalog.entries.filter((entry) => entry.name === REPAIRED_VALUES_INDEX_NAME);
      assertNoDependents(catalog, name, made);
      return { title: `drop the table ${name}`, run: (database) => void database.exec(`DROP TABLE main.${name}`) };
    });
}

/**
 * @param made Objects of the migration itself.
 * @throws Stop that names an index or trigger of the user that would be dropped with a table or view.
 */
function assertNoDependents({ entries }: Catalog, name: string, made: readonly SchemaEntry[]): void {
  const found = entries.find(
    (entry) =>
      (entry.type === "index" || entry.type === "trigger") &&
      entry.sql !== null &&
      entry.table.toLowerCase() === name.toLowerCase() &&
      !made.includes(entry),
  );
  if (found !== undefined)
    throw new Stop(
      "refused",
      `The downgrade drops ${name}, which the pre-16 layout does not have, but the ${found.type} ${found.name} is on it. Drop that ${found.type} first.`,
    );
}

/**
 * Drops the side table for metadata if the old layout had none and it will be empty; otherwise deletes only the rows
 * whose metadata is in its column again.
 *
 * @param left Number of its rows that have no other place.
 */
export function sideTableSteps(catalog: Catalog, state: FormerState, left: number): Step[] {
  const { metrics, rebuilds, hadSideTable } = state;
  if (!hadSideTable && left === 0) {
    assertNoDependents(catalog, SIDE_TABLE, catalog.entries.filter(isOfLibrary));
    return [
      {
        title: `drop the empty table ${SIDE_TABLE}`,
        run: (database) => void database.exec(`DROP TABLE main.${SIDE_TABLE}`),
      },
    ];
  }
  if (metrics === null || !rebuilds || metrics.names.metadata === null) return [];
  return [
    {
      title: `delete the metadata that was moved to its column from ${SIDE_TABLE}`,
      run: (database) =>
        void database.exec(
          `DELETE FROM main.${SIDE_TABLE} WHERE interaction_id IN (SELECT id FROM main.${sqlName(metrics.name)})`,
        ),
    },
  ];
}

/**
 * Explains why the side table stays although the old layout had none.
 *
 * @param left As above.
 */
export function notesOnSideTable({ metrics, hadSideTable }: FormerState, left: number): string[] {
  if (hadSideTable || left === 0) return [];
  return [
    metrics?.names.metadata === null
      ? `the table ${SIDE_TABLE} is kept: the pre-16 layout has no column for its metadata`
      : `the table ${SIDE_TABLE} is kept: it contains metadata of deleted interactions; a later up uses the table again`,
  ];
}

/** Treatment of a database's objects in a downgrade, except for the tables with our own data. */
export interface ObjectChanges {
  /** Objects from before the migrations that no other program has changed: they exist afterwards with the same text. */
  restore: SchemaEntry[];
  /**
   * Objects that a migration made and no other program has changed, and the triggers that the library made since: they
   * name the table of metadata, which may not exist afterwards.
   */
  remove: SchemaEntry[];
  /** Notes on objects that another program made, changed or dropped since; these objects are not changed. */
  notes: string[];
}

/** The schema at one time, by type and name. */
type State = ReadonlyMap<string, SchemaEntry>;

/**
 * Follows every object through the migrations: before the first, after it, before the second and so on, until now. A
 * migration made the differences between its two states; other programs made those between two migrations, or since the
 * last one.
 *
 * @param base Index of the migration whose former layout is restored, from 0: only up to there do the texts use the
 *   names of that layout.
 * @param ignored Objects that are restored separately, as type and lower-case name.
 */
export function objectChanges(
  records: readonly MigrationRecord[],
  now: readonly SchemaEntry[],
  base: number,
  ignored: ReadonlySet<string>,
): ObjectChanges {
  const states = [...records.flatMap(({ former, result }) => [former.objects, result.objects]), now].map(stateOf);
  const keys = new Set(states.flatMap((state) => [...state.keys()]));
  const changes: ObjectChanges = { restore: [], remove: [], notes: [] };
  for (const key of keys) {
    const entries = states.map((state) => state.get(key));
    const known = entries.find((entry) => entry !== undefined);
    if (known === undefined || ignored.has(key) || known.name.startsWith("sqlite_")) continue;
    addChange(entries, known, base * 2, changes);
  }
  return changes;
}

function stateOf(objects: readonly SchemaEntry[]): State {
  return new Map(objects.map((entry) => [`${entry.type} ${entry.name.toLowerCase()}`, entry]));
}

/** @param from Index of the state to restore. */
function addChange(
  entries: (SchemaEntry | undefined)[],
  known: SchemaEntry,
  from: number,
  changes: ObjectChanges,
): void {
  const what = `the ${known.type} ${known.name}`;
  const [origin, now] = [entries[from], entries.at(-1)];
  const made = creationIndex(entries, entries.length - 1);
  if (now === undefined) {
    const gone = entries.findIndex((entry, at) => at > from && entry === undefined);
    if (origin === undefined || !isForeignState(creationIndex(entries, from))) return;
    if (isForeignState(gone) || isChangedByOthers(entries, from, gone))
      changes.notes.push(`${what} was dropped since the migration and is not created again`);
    else changes.restore.push(origin);
  } else if (isForeignState(made) && made > from && isOfLibrary(now)) changes.remove.push(now);
  else if (isForeignState(made) && made > from)
    changes.notes.push(`${what} was created since the migration and is kept`);
  else if (isChangedByOthers(entries, Math.max(from, made), entries.length))
    changes.notes.push(`${what} was changed since the migration and is not restored`);
  else if (!isForeignState(made)) changes.remove.push(now);
  else if (origin !== undefined) changes.restore.push(origin);
}

/** Index of the state in which the object of a given state first existed. */
function creationIndex(entries: readonly (SchemaEntry | undefined)[], at: number): number {
  return entries.findLastIndex(
    (entry, index) => index <= at && entry !== undefined && entries[index - 1] === undefined,
  );
}

function isChangedByOthers(entries: readonly (SchemaEntry | undefined)[], after: number, before: number): boolean {
  return entries.some(
    (entry, at) => at > after && at < before && isForeignState(at) && !isSame(entries[at - 1], entry),
  );
}

/** True for states that a migration found, and for the present one; the others are those that a migration left. */
function isForeignState(index: number): boolean {
  return index % 2 === 0;
}

function isSame(one: SchemaEntry | undefined, other: SchemaEntry | undefined): boolean {
  return one?.sql === other?.sql && (one === undefined) === (other === undefined);
}

const STATEMENTS: Record<SchemaEntry["type"], RegExp> = {
  table: /^CREATE\s+TABLE\b/i,
  index: /^CREATE\s+(?:UNIQUE\s+)?INDEX\b/i,
  view: /^CREATE\s+VIEW\b/i,
  trigger: /^CREATE\s+TRIGGER\b/i,
};

/**
 * Creates an object from its text in the schema or in a record. Runs only a single statement of the expected kind,
 * because the text may have been manipulated.
 *
 * @throws Stop that names an object that cannot be created.
 */
export function createObject(database: Database, { type, name, sql }: SchemaEntry): void {
  try {
    if (sql === null || !STATEMENTS[type].test(sql))
      throw new Error(`its text is not a CREATE ${type.toUpperCase()} statement`);
    database.prepare(sql).run();
  } catch (error) {
    throw new Stop(
      "refused",
      `Cannot create the ${type} ${name} in the pre-16 layout: ${(error as Error).message}. Change or drop the objects that prevent this first.`,
      error,
    );
  }
}

/**
 * The columns of a table according to its text, including generated ones, which hold no values.
 *
 * @param plain The result if there is no text, or this driver cannot parse it.
 */
export function columnsByText(plain: readonly string[], entry: SchemaEntry | undefined): string[] {
  const replica = openDatabase(":memory:", { intent: "record" });
  try {
    if (entry === undefined) return [...plain];
    createObject(replica, entry);
    return allColumnsOf(replica, entry.name);
  } catch {
    return [...plain];
  } finally {
    replica.close();
  }
}
