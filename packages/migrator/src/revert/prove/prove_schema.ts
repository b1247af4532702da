import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "../../databases/sql_text.ts";
import { type SchemaEntry, schemaEntries } from "../../recognise/catalog.ts";
import { countersIn } from "../../record/snapshot.ts";
import { type Counter, rowsOf } from "../counters.ts";
import { handledTables } from "../names.ts";
import type { Reversion } from "../reversion.ts";

/** The tables and objects of the old layout are there with the text that they had, and nothing of the user is gone. */
export function proveSchema(database: Database, reversion: Reversion): string[] {
  const { form, lineage } = reversion;
  const now = schemaEntries(database);
  const tables = [form.metrics, form.second].flatMap((table) => (table === null ? [] : [table.name]));
  const wanted = [
    ...lineage.restore,
    ...form.former.objects.filter(({ type, name }) => type === "table" && form.rebuilds && tables.includes(name)),
  ];
  return [
    ...wanted.filter((entry) => !isAsItWas(now, entry)).map(({ type, name }) => `the ${type} ${name} is not as it was`),
    ...missing(now, schemaEntries(database, "backup"), form, lineage),
    ...movedCounters(database, reversion),
  ];
}

function isAsItWas(now: readonly SchemaEntry[], { type, name, sql }: SchemaEntry): boolean {
  const found = now.find((entry) => entry.type === type && entry.name === name);
  // Text with bytes that are no UTF-8 is not brought back; what it means is.
  return found !== undefined && (found.sql === sql || sql?.includes("\ufffd") === true);
}

function missing(
  now: readonly SchemaEntry[],
  before: readonly SchemaEntry[],
  form: Reversion["form"],
  { remove }: Reversion["lineage"],
): string[] {
  const present = new Set(now.map(({ type, name }) => `${type} ${name}`));
  const gone = new Set(remove.map(({ type, name }) => `${type} ${name}`));
  const handled = handledTables(form);
  return before
    .filter(({ type, name }) => !(type === "table" && handled.has(name.toLowerCase())) && !name.startsWith("sqlite_"))
    .map(({ type, name }) => `${type} ${name}`)
    .filter((key) => !gone.has(key) && !present.has(key))
    .map((key) => `the ${key} is gone`);
}

/** No id is given twice: the counters of other tables stand where they stood, ours as planned and not below any id. */
function movedCounters(database: Database, { form, counters }: Reversion): string[] {
  const counts = (schema: string): boolean =>
    database.prepare(`SELECT 1 FROM ${schema}.sqlite_schema WHERE name = 'sqlite_sequence'`).get() !== undefined;
  if (!counts("main") || !counts("backup")) return [];
  const tables = [form.metrics, form.second].flatMap((table) => (table === null ? [] : [table.name]));
  const ours = ["interactions", ...tables.map((table) => table.toLowerCase())];
  const moved = database
    .prepare(
      "SELECT b.name FROM backup.sqlite_sequence AS b WHERE NOT EXISTS (SELECT 1 FROM main.sqlite_sequence AS m WHERE m.name = b.name AND m.seq IS b.seq AND typeof(m.seq) = typeof(b.seq))",
    )
    .pluck()
    .all() as string[];
  const now = countersIn(database);
  const wrong = tables.filter((table) => !stands(database, table, rowsOf(now, table), rowsOf(counters, table)));
  return [...moved.filter((name) => !ours.includes(name.toLowerCase())), ...wrong].map(
    (table) => `the counter of the row ids of ${table} moved`,
  );
}

function stands(
  database: Database,
  table: string,
  now: readonly { seq: string }[],
  counters: readonly Counter[],
): boolean {
  if (now.length !== counters.length) return false;
  return counters.every(({ value, above }, index) => {
    if (above === null) return now[index]?.seq === value;
    const behind = database
      .prepare(
        `SELECT seq < (SELECT max(id) FROM main.${sqlName(table)}) FROM main.sqlite_sequence WHERE name = ? COLLATE NOCASE ORDER BY rowid`,
      )
      .pluck()
      .get(table);
    return behind !== 1;
  });
}
