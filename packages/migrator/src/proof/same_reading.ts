import type { Subject } from "./subject.ts";

/** Where rows lie, and what their bytes mean. */
interface Stored {
  name: string;
  rootpage: number;
  /** How the values of a row are told apart; null for an index, whose content follows from its table. */
  columns: string | null;
}

/**
 * True when every table of the backup is in the database too, begins at the same page, and has columns that read the same
 * bytes as the same values: then equal pages are equal rows. The metrics table and its level may have other names.
 */
export function readsTheSame(subject: Subject): boolean {
  const now = new Map(storedIn(subject, "main").map((entry) => [entry.name, entry]));
  return storedIn(subject, "backup").every(({ name, rootpage, columns }) => {
    const entry = now.get(name);
    // An index may be gone on purpose, which the proof of the schema looks at.
    if (entry === undefined) return columns === null;
    return entry.rootpage === rootpage && entry.columns === columns;
  });
}

function storedIn(subject: Subject, schema: "main" | "backup"): Stored[] {
  const { database, before } = subject;
  const entries = database
    .prepare(`SELECT type, name, rootpage FROM ${schema}.sqlite_schema WHERE type IN ('table', 'index')`)
    .all() as { type: "table" | "index"; name: string; rootpage: number }[];
  return entries.map(({ type, name, rootpage }) => {
    const isMetrics = schema === "backup" && type === "table" && name === before?.name;
    return {
      name: `${type} ${isMetrics ? "interactions" : name.toLowerCase()}`,
      rootpage,
      columns: type === "index" ? null : columnsOf(subject, schema, name, isMetrics),
    };
  });
}

function columnsOf({ database, before }: Subject, schema: string, table: string, isMetrics: boolean): string {
  const columns = database
    // What is computed depends on an expression, and so counts as different.
    .prepare(
      'SELECT name, type, "notnull", dflt_value, pk, iif(hidden > 1, schema, hidden) FROM pragma_table_xinfo(?, ?) ORDER BY cid',
    )
    .raw()
    .all(table, schema) as [name: string, ...rest: unknown[]][];
  const kind = database
    .prepare("SELECT type, wr, strict FROM pragma_table_list(?) WHERE schema = ?")
    .raw()
    .all(table, schema);
  const named = columns.map(([name, ...rest]) => [isMetrics && name === before?.level ? "level" : name, ...rest]);
  return JSON.stringify([kind, named]);
}
