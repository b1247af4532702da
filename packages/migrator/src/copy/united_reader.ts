import { Stop } from "../core/stop.ts";
import type { Reader } from "./side.ts";
import type { SqliteReader } from "./sqlite_reader.ts";
import { type CopiedTable, TABLES, type TableName } from "./tables.ts";

/**
 * Several databases as one.
 *
 * @throws Stop where two of them have a table that can only be in one.
 */
export async function unitedReader(readers: readonly SqliteReader[], place: string): Promise<Reader> {
  const homes = new Map<TableName, SqliteReader>();
  for (const { name } of TABLES) {
    for (const reader of readers) {
      if (!(await reader.has(name))) continue;
      const other = homes.get(name);
      if (other !== undefined)
        throw new Stop("refused", `${other.place} and ${reader.place} both have a table ${name}; name one of them.`);
      homes.set(name, reader);
    }
  }
  return {
    store: "SQLite",
    place,
    has: (table) => Promise.resolve(homes.has(table)),
    count: async (table) => (await homes.get(table)?.count(table)) ?? 0,
    highest: async (table) => homes.get(table.newest.of)?.highest(table),
    rows: (table: CopiedTable, range) => homes.get(table.name)?.rows(table, range) ?? none(),
    doubtful: (table) => homes.get(table.name)?.doubtful(table) ?? none(),
  };
}

async function* none(): AsyncGenerator<never, void> {
  // No rows.
}
