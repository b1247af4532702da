import type { Database } from "@perdura/internals/sqlite/open_database.js";

/** What each view that can be read shows. */
export type ViewColumns = Map<string, string[]>;

/** Adds the views that can be read now to those that could be before, which stay as they are. */
export function addViewColumns(database: Database, known: ViewColumns): void {
  for (const view of viewsOf(database).filter((name) => !known.has(name))) {
    const columns = columnsOfView(database, view);
    if (columns !== undefined) known.set(view, columns);
  }
}

/**
 * Says which views show other columns than they did: a program that reads them by name has to know. One that is gone was
 * not the user's, but the one that fences.
 */
export function notesOnViews(before: ViewColumns, database: Database): string[] {
  const views = new Set(viewsOf(database));
  return [...before].flatMap(([view, were]) => {
    if (!views.has(view)) return [];
    const are = columnsOfView(database, view) ?? were;
    const [gone, come] = [without(were, are), without(are, were)];
    const changes = [
      ...(gone.length === 0 ? [] : [`${gone.join(", ")} ${gone.length === 1 ? "is" : "are"} there no more`]),
      ...(come.length === 0 ? [] : [`${come.join(", ")} ${come.length === 1 ? "is" : "are"} new`]),
    ];
    return changes.length === 0 ? [] : [`your view ${view} shows other columns afterwards: ${changes.join(", ")}`];
  });
}

function viewsOf(database: Database): string[] {
  return database.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'view'").pluck().all() as string[];
}

function without(columns: readonly string[], others: readonly string[]): string[] {
  return columns.filter((column) => !others.includes(column));
}

function columnsOfView(database: Database, view: string): string[] | undefined {
  try {
    return database.prepare("SELECT name FROM pragma_table_xinfo(?, 'main')").pluck().all(view) as string[];
  } catch {
    // It does not work; what is to be said of that is said elsewhere.
    return undefined;
  }
}
