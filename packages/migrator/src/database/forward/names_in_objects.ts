import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import type { Catalog, SchemaEntry } from "../layouts/catalog.ts";
import type { MetricsTable } from "../layouts/layout.ts";
import { mentions, namesIn, type NameUse, sqlName, type Token, tokensOf } from "../sql/sql_text.ts";

/** Changes of names that may affect objects of the user. */
interface NameChange {
  /** Former names of the changed tables. */
  tables: readonly string[];
  /** New names of tables and columns. */
  added: readonly string[];
  /** Columns that are dropped without a replacement. */
  dropped: readonly string[];
  /** The renamed column, with its new name. */
  renamed: { from: string; to: string } | null;
}

/**
 * SQLite renames uses of a name in views and triggers, but does not report if the new name already has another meaning
 * there: both versions compile. Running them would show it, but might never end; so they are listed, for the operator
 * to check.
 */
export function notesOnMeaning(database: Database, { entries }: Catalog, change: NameChange): string[] {
  return dependents(entries, change.tables).flatMap(({ type, name, names }) => {
    const whole = `the ${type} ${name}`;
    const look = `Check what it ${type === "view" ? "returns" : "does"} afterwards`;
    const uses = (words: readonly string[]): string[] =>
      words.filter((word) => names.some((use) => use.name === word.toLowerCase() && use.before !== "as"));
    const [own, gone] = [uses(change.added), uses(change.dropped)];
    const reasons = [
      ...own.map((word) => `uses the name ${word}, which the change also gives to a table or column`),
      ...gone.map((word) => `uses the name ${word}, which is no longer a column of the changed table`),
      ...(own.length === 0 ? ambiguousUses(database, names, change) : []),
      ...(names.some((use) => use.name === "natural" && use.bare)
        ? ["uses NATURAL JOIN, and the common columns may change"]
        : []),
    ];
    const only = type === "trigger" ? onlyUpdateOf(names) : undefined;
    if (only !== undefined && change.dropped.some((word) => word.toLowerCase() === only))
      return [`${whole} fires only on UPDATE OF ${only}, a column that is dropped: it will never fire again`];
    return reasons.length === 0
      ? []
      : [`${whole} may have another meaning after the change: it ${reasons.join("; it ")}. ${look}`];
  });
}

/** A view or trigger that uses a table, with the names in it. */
interface Dependent extends Pick<SchemaEntry, "type" | "name"> {
  names: NameUse[];
}

/** Views and triggers that use the tables, or views that do. */
function dependents(entries: readonly SchemaEntry[], tables: readonly string[]): Dependent[] {
  const known = new Set(tables.map((table) => table.toLowerCase()));
  const left = new Set(
    entries.flatMap(({ type, name, sql }) =>
      (type === "view" || type === "trigger") && sql !== null ? [{ type, name, names: bodyOf(type, sql) }] : [],
    ),
  );
  const found: Dependent[] = [];
  for (let before = -1; before < found.length;) {
    before = found.length;
    for (const object of left) {
      if (!object.names.some(({ name }) => known.has(name))) continue;
      left.delete(object);
      found.push(object);
      if (object.type === "view") known.add(object.name.toLowerCase());
    }
  }
  return found;
}

/** Excludes the names of a view and of its columns, which it defines itself. */
function bodyOf(type: SchemaEntry["type"], sql: string): NameUse[] {
  const names = namesIn(sql);
  return type === "view" ? names.slice(names.findIndex(({ name, bare }) => name === "as" && bare) + 1) : names;
}

/** If the old name is used without its table, the new name may belong to another table in the same object. */
function ambiguousUses(database: Database, names: readonly NameUse[], { renamed, tables }: NameChange): string[] {
  if (renamed === null) return [];
  const from = renamed.from.toLowerCase();
  if (!names.some(({ name, before }) => name === from && before !== "." && before !== "as")) return [];
  const others = names.map(({ name }) => name).filter((name) => !tables.some((table) => table.toLowerCase() === name));
  const other = columnsNamed(database, renamed.to, new Set(others))[0];
  return other === undefined
    ? []
    : [
        `uses ${renamed.from}, which is renamed to ${renamed.to}, together with ${other}, which has a column ${renamed.to}`,
      ];
}

/** The column of UPDATE OF, if it is a single one. */
function onlyUpdateOf(names: readonly NameUse[]): string | undefined {
  const of = names.findIndex(({ name, before, bare }) => name === "of" && before === "update" && bare);
  const [column, next] = of === -1 ? [] : names.slice(of + 1);
  return next?.name === "on" && next.bare ? column?.name : undefined;
}

/** Tables and views among these (in lower case) that have a column of that name. */
function columnsNamed(database: Database, column: string, among: ReadonlySet<string>): string[] {
  const names = database
    .prepare("SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid")
    .pluck()
    .all() as string[];
  return names.filter((name) => among.has(name.toLowerCase()) && hasColumn(database, name, column));
}

function hasColumn(database: Database, table: string, column: string): boolean {
  try {
    return (
      database
        .prepare("SELECT 1 FROM pragma_table_xinfo(?, 'main') WHERE name = ? COLLATE NOCASE")
        .get(table, column) !== undefined
    );
  } catch {
    // The object is broken; another check reports it.
    return false;
  }
}

/**
 * @throws Stop for each part of the table, and each index on it, that uses the metadata column, which moves to a table
 *   of its own: SQLite drops no column that is used. Views and triggers are checked by compiling them.
 */
export function assertMetadataUnused(catalog: Catalog, { name, metadata }: MetricsTable): void {
  if (metadata === null) return;
  const entry = catalog.entries.find((one) => one.type === "table" && one.name === name);
  const parts = definitionsIn(entry?.sql ?? "").flatMap((part) => usesIn(part, metadata, catalog, name));
  const computed = parts.flatMap(({ column }) => (column === null ? [] : [column]));
  const indexes = catalog.entries.filter(
    ({ type, table, sql }) =>
      type === "index" &&
      table.toLowerCase() === name.toLowerCase() &&
      sql !== null &&
      mentions(textAfterName(sql), [metadata, ...computed]),
  );
  const found = [
    ...indexes.map(
      (index) =>
        `the index ${index.name} (DROP INDEX ${sqlName(index.name)}; an index contains no data and can be created again on interaction_metadata)`,
    ),
    ...parts.map(({ what }) => what),
  ];
  if (found.length === 0) return;
  throw new Stop(
    "refused",
    `The migration moves the column ${metadata} of the table ${name} to the table interaction_metadata, but the schema uses the column in: ${found.join("; ")}. Nothing was changed. Remove ${found.length === 1 ? "this" : "these, in this order,"} from the schema, then run this command again; no row needs to be removed.`,
  );
}

/** A part of a table that uses a column: its description, and the generated column that it defines, if any. */
interface PartUse {
  what: string;
  column: string | null;
}

const REBUILD =
  "SQLite cannot drop a constraint: create a table without it, copy every row to it, and rename it, see section 7 of sqlite.org/lang_altertable.html";

function usesIn(part: Token[], metadata: string, { computed }: Catalog, table: string): PartUse[] {
  const words = part.filter(isSignificant);
  const [first] = words;
  if (first === undefined) return [];
  const isOf = (column: string): boolean => first.value.toLowerCase() === column.toLowerCase();
  const bare = new Set(words.filter(({ kind }) => kind === "word").map(({ text }) => text.toLowerCase()));
  const isOfTable = first.kind === "word" && /^(?:constraint|check|unique|foreign|primary)$/i.test(first.text);
  if (!isOfTable && isOf(metadata))
    // Its own CHECK and REFERENCES are dropped with it.
    return bare.has("unique")
      ? [{ what: `the UNIQUE constraint of the column itself (${REBUILD})`, column: null }]
      : [];
  if (!mentions(withoutParents(words), [metadata])) return [];
  if (!isOfTable && computed.get(table.toLowerCase())?.some(isOf) === true) {
    const column = first.value;
    return [
      {
        what: `the generated column ${column} (ALTER TABLE ${sqlName(table)} DROP COLUMN ${sqlName(column)}; SQLite computes its values, and a view of interactions and interaction_metadata can return the same)`,
        column,
      },
    ];
  }
  return [{ what: `the constraint ${textOf(part)} (${REBUILD})`, column: null }];
}

/** Maximum number of characters of a condition that are shown. */
const SHOWN = 100;

function textOf(part: readonly Token[]): string {
  const text = part
    .map(({ text: one }) => one)
    .join("")
    .trim()
    .replaceAll(/\s+/g, " ");
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

/**
 * The definitions of columns and conditions of a CREATE TABLE: the parts between commas in its outermost parentheses.
 */
function definitionsIn(sql: string): Token[][] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokensOf(sql)) {
    if (token.text === ")") depth -= 1;
    if (depth === 1 && token.text === ",") parts.push([]);
    else if (depth > 0) parts.at(-1)?.push(token);
    if (token.text === "(") depth += 1;
  }
  return parts;
}

const isSignificant = ({ kind, text }: Token): boolean => kind !== "comment" && text.trim() !== "";

/** Removes the columns of another table in a REFERENCES clause. */
function withoutParents(words: readonly Token[]): string {
  let rest = "";
  for (let at = 0; at < words.length; at += 1) {
    const { kind, text } = words[at] as Token;
    if (kind === "word" && /^references$/i.test(text)) {
      const end = words.findIndex((word, index) => index > at && word.text === ")");
      at = words[at + 2]?.text === "(" && end !== -1 ? end : at + 1;
    } else rest += `${text} `;
  }
  return rest;
}

/** The text after the name of an index, which does not use a column. */
function textAfterName(sql: string): string {
  const tokens = tokensOf(sql);
  return tokens
    .slice(tokens.findIndex(({ text }) => text === "("))
    .map(({ text }) => text)
    .join("");
}
