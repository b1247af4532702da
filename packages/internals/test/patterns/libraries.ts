import { PatternLibrary } from "../../src/patterns/library.ts";
import { openDatabase } from "../../src/sqlite/open_database.ts";

/** A library with patterns of these ids. */
export function library(...ids: string[]): PatternLibrary {
  const made = new PatternLibrary();
  for (const id of ids) made.contribute("agent", { id, pattern_type: "t", name: "n" });
  return made;
}

/** Changes a database like another program. */
export function change(path: string, sql: string): void {
  const database = openDatabase(path, { intent: "record" });
  database.pragma("foreign_keys = OFF");
  database.exec(sql);
  database.close();
}
