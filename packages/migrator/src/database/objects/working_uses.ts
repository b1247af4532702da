import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import { schemaEntries, type SchemaEntry } from "../sql/catalog.ts";
import { errorOf } from "../sql/error_of.ts";

/** A use of an object of the user. It is only compiled: no data are read or written. */
interface Use {
  /** Equal before and after the change, independent of the table's name. */
  key: string;
  what: string;
  statement: string;
}

/** Descriptions of the uses that work before a change, by key. */
export type WorkingUses = ReadonlyMap<string, string>;

/**
 * Reading each view, and each kind of writing to a table with triggers: compiling a statement also compiles the
 * triggers that it fires.
 */
export function workingUses(database: Database): WorkingUses {
  return new Map(
    usesOf(database)
      .filter(({ statement }) => failureOf(database, statement) === undefined)
      .map(({ key, what }) => [key, what]),
  );
}

/**
 * SQLite accepts some renames after which views and triggers fail at their next use.
 *
 * @param before The uses that worked before the change.
 * @throws Stop that names the uses that no longer work.
 */
export function assertStillUsable(database: Database, before: WorkingUses): void {
  const broken = usesOf(database).flatMap(({ key, statement }) => {
    const what = before.get(key);
    const failure = what === undefined ? undefined : failureOf(database, statement);
    return failure === undefined ? [] : [`${what} (${failure})`];
  });
  if (broken.length > 0)
    throw new Stop(
      "refused",
      `After the change, these would no longer work: ${broken.join("; ")}. Nothing was changed. Change the view or trigger first, or drop it and create it again afterwards; it contains no data.`,
    );
}

function failureOf(database: Database, statement: string): string | undefined {
  return errorOf(() => database.prepare(statement))?.message;
}

function usesOf(database: Database): Use[] {
  const entries = schemaEntries(database);
  const named = (wanted: "view" | "trigger"): SchemaEntry[] => entries.filter(({ type }) => type === wanted);
  const views = named("view").map(({ name }) => ({
    key: `view ${name}`,
    what: `the view ${name}`,
    statement: `SELECT * FROM main.${sqlName(name)} LIMIT 0`,
  }));
  return [...views, ...named("trigger").flatMap(({ name, table }) => writesTo(database, name, table))];
}

function writesTo(database: Database, trigger: string, table: string): Use[] {
  const target = `main.${sqlName(table)}`;
  const columns = writableColumns(database, table);
  // A broken view, so writing through it is impossible.
  if (columns === undefined) return [];
  // Sets every column, for triggers on single columns.
  const set = columns.map((column) => `${sqlName(column)} = ${sqlName(column)}`).join(", ");
  const writes = {
    INSERT: `INSERT INTO ${target} DEFAULT VALUES`,
    UPDATE: `UPDATE ${target} SET ${set}`,
    DELETE: `DELETE FROM ${target}`,
  };
  return Object.entries(writes).map(([verb, statement]) => ({
    key: `${verb} ${trigger}`,
    what: `${verb} on ${table}, which has the trigger ${trigger}`,
    statement: `EXPLAIN ${statement}`,
  }));
}

function writableColumns(database: Database, table: string): string[] | undefined {
  try {
    return database
      .prepare("SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0")
      .pluck()
      .all(table) as string[];
  } catch {
    return undefined;
  }
}
