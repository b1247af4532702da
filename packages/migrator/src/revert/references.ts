import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { brokenReferences } from "../databases/foreign_keys.ts";
import { Stop } from "../stop.ts";

/**
 * Enforcement is off while tables change, so that nothing cascades; what was whole before must be whole after.
 *
 * @param before Broken references by table.
 * @throws Stop naming a table of the user whose rows would refer to rows of another table, or to none.
 */
export function assertReferencesKept(before: ReturnType<typeof brokenReferences>, database: Database): void {
  const after = brokenReferences(database);
  if (before === undefined || after === undefined) return;
  for (const [table, broken] of after) {
    const added = broken - (before.get(table) ?? 0);
    if (added > 0)
      throw new Stop(
        "refused",
        `${added} rows of the table ${table} refer to interactions that go back into a table of their own, under other ids. Remove those references first.`,
      );
  }
}
