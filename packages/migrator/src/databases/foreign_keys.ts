import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../stop.ts";

/** Counts broken references by table; undefined where SQLite cannot tell, because a reference of the user is malformed. */
export function brokenReferences(database: Database): Map<string, number> | undefined {
  try {
    const counts = database
      .prepare('SELECT "table", count(*) FROM pragma_foreign_key_check() GROUP BY 1')
      .raw()
      .all() as [string, number][];
    return new Map(counts);
  } catch {
    return undefined;
  }
}

/** Enforcement is off while a table changes, so that nothing cascades; what was whole before must be whole after. */
export function assertReferencesHold(before: Map<string, number> | undefined, database: Database): void {
  const after = brokenReferences(database);
  if (before === undefined || after === undefined) return;
  for (const [table, broken] of after) {
    const added = broken - (before.get(table) ?? 0);
    if (added > 0) {
      throw new Stop(
        "refused",
        `${added} rows of your table ${table} refer to rows that would go into quarantine. Correct those rows first, or remove the references.`,
      );
    }
  }
}
