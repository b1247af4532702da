import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { schemaEntries, type SchemaEntry } from "../layouts/catalog.ts";
import { KNOWN_TABLES } from "../layouts/layout.ts";
import { suspendTriggers } from "./schema_text.ts";
import { isVirtual } from "./virtual_tables.ts";
import { allWritesOf, type Trigger, triggersIn, type WriteKind } from "./triggers.ts";

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
  /** Triggers that write to a table of the migration itself, or delete rows of another table: they do not fire. */
  silent: Trigger[];
  /** Lower-case names of the tables that fired triggers write, with the tables in which full-text indexes store them. */
  written: ReadonlySet<string>;
}

/**
 * The triggers of the user for changes of rows. A trigger that writes to a table of the migration does not fire: it
 * could undo the change, or change rows that the proof and a downgrade count on. Nor does one that deletes rows of
 * another table, which a downgrade could not restore; deleting from a full-text index only keeps it up to date.
 */
export function firedTriggers(entries: readonly SchemaEntry[], changes: readonly RowChange[]): FiredTriggers {
  const triggers = triggersIn(entries);
  const concerned = triggers.filter((trigger) => changes.some((change) => isFiredBy(trigger, change)));
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
    tablesDeleted(trigger, triggers, entries).length > 0
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
  return KNOWN_TABLES.some((known) => known === table) || table.startsWith("perdura_");
}

/**
 * Changes rows of tables so that the user's triggers see it; those of {@link FiredTriggers.silent} do not fire.
 *
 * @throws Stop that names the triggers if one of them fails.
 */
export function changeRows(database: Database, tables: readonly string[], change: () => void): void {
  const entries = schemaEntries(database);
  const triggers = triggersIn(entries);
  const names = new Set(tables.map((table) => table.toLowerCase()));
  const concerned = triggers.filter(({ on }) => names.has(on.table));
  const silent = concerned.filter((trigger) => mustNotFire(trigger, triggers, entries));
  const fired = concerned.filter((trigger) => !silent.includes(trigger));
  suspendTriggers(database, silent, () => {
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
