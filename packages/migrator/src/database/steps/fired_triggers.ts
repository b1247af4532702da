import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { schemaEntries, type SchemaEntry } from "../sql/catalog.ts";
import { knownTables } from "../layouts/table_layouts.ts";
import { suspendTriggers } from "../sql/schema_text.ts";
import { isVirtual } from "../sql/virtual_tables.ts";
import { allWritesOf, canRunEndlessly, chainOf, type Trigger, triggersIn, type WriteKind } from "../sql/triggers.ts";

/** Rows that leave or enter a table, or whose values change. */
export interface RowChange {
  /** The present name of the table. */
  table: string;
  kind: WriteKind;
  /** The columns whose values change. */
  columns?: readonly string[];
  /** SQL over the columns of the table that is true for rows that leave it or change. */
  where?: string;
}

/** Triggers on changed tables, by what happens to them. */
export interface FiredTriggers {
  fired: Trigger[];
  /** Triggers that do not fire, although they maintain something. */
  silent: Trigger[];
  /** Lower-case names of the tables that fired triggers write, with the tables in which full-text indexes store them. */
  written: ReadonlySet<string>;
}

/**
 * The triggers of the user for changes of rows. Only a trigger that writes to a table fires: any other maintains
 * nothing, and the database may come from an unknown source. A trigger that writes to a table of the migration does not
 * fire: it could undo the change, or change rows that the proof and a downgrade count on. Nor does one that deletes rows
 * of another table, which a downgrade could not restore (deleting from a full-text index only keeps it up to date), or
 * one that can run without end.
 */
export function firedTriggers(entries: readonly SchemaEntry[], changes: readonly RowChange[]): FiredTriggers {
  const triggers = triggersIn(entries);
  const concerned = triggers.filter(
    (trigger) => trigger.writes.length > 0 && changes.some((change) => isFiredBy(trigger, change)),
  );
  const silent = concerned.filter((trigger) => mustNotFire(trigger, triggers, entries));
  const fired = concerned.filter((trigger) => !silent.includes(trigger));
  const targets = new Set(fired.flatMap((trigger) => allWritesOf(trigger, triggers).map(({ table }) => table)));
  const virtual = entries.filter(({ name, sql }) => sql !== null && isVirtual(sql) && targets.has(name.toLowerCase()));
  const stored = entries
    .map(({ name }) => name.toLowerCase())
    .filter((name) => !isOurs(name) && virtual.some((entry) => name.startsWith(`${entry.name.toLowerCase()}_`)));
  return { fired, silent, written: new Set([...targets, ...stored]) };
}

function isFiredBy({ on, columns, isOfView }: Trigger, change: RowChange): boolean {
  const named = change.columns?.map((column) => column.toLowerCase());
  return (
    !isOfView &&
    on.kind === change.kind &&
    on.table === change.table.toLowerCase() &&
    (columns.length === 0 || named === undefined || columns.some((column) => named.includes(column)))
  );
}

function mustNotFire(trigger: Trigger, triggers: readonly Trigger[], entries: readonly SchemaEntry[]): boolean {
  return (
    allWritesOf(trigger, triggers).some(({ table }) => isOurs(table)) ||
    tablesDeleted(trigger, triggers, entries).length > 0 ||
    chainOf(trigger, triggers).some(canRunEndlessly)
  );
}

/** Ordinary tables of the user from which a trigger deletes rows, directly or through others. */
export function tablesDeleted(
  trigger: Trigger,
  triggers: readonly Trigger[],
  entries: readonly SchemaEntry[],
): string[] {
  const isIndex = (table: string): boolean =>
    entries.some(({ name, sql }) => name.toLowerCase() === table && sql !== null && isVirtual(sql));
  return allWritesOf(trigger, triggers)
    .filter(({ table, kind }) => kind === "delete" && !isOurs(table) && !isIndex(table))
    .map(({ table }) => table);
}

/** True for a table that the layouts, the rollup or the migrations have. */
export function isOurs(table: string): boolean {
  return knownTables().some((known) => known === table) || table.startsWith("perdura_");
}

/**
 * Changes rows of tables so that the user's triggers see it, but only those that {@link firedTriggers} describes.
 *
 * @throws Stop that names the triggers if one of them fails.
 */
export function changeRows(database: Database, tables: readonly string[], change: () => void): void {
  const entries = schemaEntries(database);
  const triggers = triggersIn(entries);
  const names = new Set(tables.map((table) => table.toLowerCase()));
  const fired = triggers.filter(
    (trigger) => names.has(trigger.on.table) && trigger.writes.length > 0 && !mustNotFire(trigger, triggers, entries),
  );
  // By the entries of the schema, because a text that cannot be read here may be one that SQLite can run.
  const others = entries.flatMap(({ type, name, table, sql }) =>
    type === "trigger" && sql !== null && names.has(table.toLowerCase()) && !fired.some((one) => one.name === name)
      ? [{ name, sql }]
      : [],
  );
  suspendTriggers(database, others, () => {
    try {
      change();
    } catch (error) {
      throw fired.length > 0 && isOfTrigger(error) ? triggerFails(fired, (error as Error).message, error) : error;
    }
  });
}

/**
 * Runs a statement that must change a number of rows: a trigger can make SQLite skip rows (`RAISE(IGNORE)`).
 *
 * @param table The table that the statement changes.
 */
export function runForRows(database: Database, table: string, statement: string, rows: number): void {
  const { changes } = database.prepare(statement).run();
  if (changes === rows) return;
  const fired = triggersIn(schemaEntries(database)).filter(({ on }) => on.table === table.toLowerCase());
  throw triggerFails(fired, `${rows - changes} of ${rows} rows were not changed`);
}

/** A failed statement of a trigger, or an index that a trigger keeps and that does not match its table. */
function isOfTrigger(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^SQLITE_(?:CONSTRAINT|ERROR|CORRUPT_VTAB)/.test(code);
}

/** Refuses a change because a trigger that must fire fails. */
export function triggerFails(fired: readonly Trigger[], fault: string, cause?: unknown): Stop {
  const names = fired.map(({ name, on }) => `${name} on ${on.table}`).join(", ");
  const [what, it] = fired.length === 1 ? [`The trigger ${names} fires`, "it"] : [`The triggers ${names} fire`, "them"];
  return new Stop(
    "refused",
    `${what} for the rows that this changes, and fails: ${fault}. Nothing was changed. Drop ${it} first, and create ${it} again afterwards; then bring up to date what ${it === "it" ? "it maintains" : "they maintain"}, for example with INSERT INTO words(words) VALUES ('rebuild') for a full-text index words.`,
    cause,
  );
}
