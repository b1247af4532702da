import { contentOf, type DatabaseContent } from "../../../../fixtures/database_content.ts";
import { connect } from "./legacy_database.ts";

/** The whole content of a database, in order. Opened for writing, so that SQLite rolls a journal back. */
export function wholeContent(path: string): DatabaseContent {
  const database = connect(path);
  try {
    return comparable(contentOf(database));
  } finally {
    database.close();
  }
}

/**
 * Content without differences in SQLite's own tables that no program sees: the counters are sorted, and the results of
 * ANALYZE are left out.
 */
export function comparable({ tables, ...content }: DatabaseContent): DatabaseContent {
  const own = Object.entries(tables).filter(([name]) => !name.startsWith("sqlite_stat"));
  return {
    ...content,
    tables: Object.fromEntries(
      own.map(([name, table]) => [
        name,
        name === "sqlite_sequence" ? { ...table, rows: table.rows.toSorted(byText) } : table,
      ]),
    ),
  };
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
