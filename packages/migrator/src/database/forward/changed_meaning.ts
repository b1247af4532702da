import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Catalog, SchemaEntry } from "../layouts/catalog.ts";
import { type NameUse, namesIn } from "../sql/tokens.ts";

/** How names change around the objects of the user. */
interface NameChange {
  /** The tables that change, as they are called before. */
  tables: readonly string[];
  /** Names of tables and columns that come. */
  come: readonly string[];
  /** Columns that go, and that nothing takes the place of. */
  go: readonly string[];
  /** The column that gets another name, and that name. */
  renamed: { from: string; to: string } | null;
}

/**
 * SQLite renames what it finds in views and triggers, and says nothing where the new name means something else in that
 * place already: both compile. Running them would tell, but one may never end; so they are named, and looked at by hand.
 */
export function notesOnMeaning(database: Database, { entries }: Catalog, change: NameChange): string[] {
  return dependents(entries, change.tables).flatMap(({ type, name, names }) => {
    const whole = `the ${type} ${name}`;
    const look = `look at what it ${type === "view" ? "gives" : "does"} afterwards`;
    const uses = (words: readonly string[]): string[] =>
      words.filter((word) => names.some((use) => use.name === word.toLowerCase() && use.before !== "as"));
    const [own, gone] = [uses(change.come), uses(change.go)];
    const reasons = [
      ...own.map((word) => `uses the name ${word} itself, which means something of the changed table as well`),
      ...gone.map((word) => `uses the name ${word}, which is no column of the changed table any more`),
      ...(own.length === 0 ? captured(database, names, change) : []),
      ...(names.some((use) => use.name === "natural" && use.bare)
        ? ["joins by NATURAL JOIN, and other columns may be in common then"]
        : []),
    ];
    const only = type === "trigger" ? onlyUpdateOf(names) : undefined;
    if (only !== undefined && change.go.some((word) => word.toLowerCase() === only))
      return [`${whole} waits for an UPDATE OF ${only} only, a column that goes: it never fires again`];
    return reasons.length === 0
      ? []
      : [`${whole} may mean something else after the change: it ${reasons.join("; it ")}. Please ${look}`];
  });
}

/** A view or trigger that has to do with a table, and the names in it. */
interface Dependent extends Pick<SchemaEntry, "type" | "name"> {
  names: NameUse[];
}

/** Views and triggers that name the tables, or views that do. */
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

/** The name of a view and those of its columns are its own. */
function bodyOf(type: SchemaEntry["type"], sql: string): NameUse[] {
  const names = namesIn(sql);
  return type === "view" ? names.slice(names.findIndex(({ name, bare }) => name === "as" && bare) + 1) : names;
}

/** Where the old name is written without its table, the new one can belong to another table of that place. */
function captured(database: Database, names: readonly NameUse[], { renamed, tables }: NameChange): string[] {
  if (renamed === null) return [];
  const from = renamed.from.toLowerCase();
  if (!names.some(({ name, before }) => name === from && before !== "." && before !== "as")) return [];
  const others = names.map(({ name }) => name).filter((name) => !tables.some((table) => table.toLowerCase() === name));
  const other = columnsNamed(database, renamed.to, new Set(others))[0];
  return other === undefined
    ? []
    : [`uses ${renamed.from}, which gets the name ${renamed.to}, beside ${other}, which has a column ${renamed.to}`];
}

/** The column of UPDATE OF, where it is one. */
function onlyUpdateOf(names: readonly NameUse[]): string | undefined {
  const of = names.findIndex(({ name, before, bare }) => name === "of" && before === "update" && bare);
  const [column, next] = of === -1 ? [] : names.slice(of + 1);
  return next?.name === "on" && next.bare ? column?.name : undefined;
}

/** Which of these tables and views, in lower case, have a column of that name. */
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
    // It does not work; what is to be said of that is said elsewhere.
    return false;
  }
}
