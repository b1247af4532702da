import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { assertStillUsable, workingUses } from "../databases/own_objects.ts";
import type { Step } from "../databases/step.ts";
import type { Catalog } from "../recognise/catalog.ts";
import { Stop } from "../stop.ts";

/**
 * Runs the steps on an empty database in memory with the same schema, and says why not: what SQLite would refuse (a view
 * that was broken before, or one that reads a column that goes), or what it would let pass and break. It is a forecast; what cannot be built there
 * (an extension's table) is left out of it.
 */
export function refusalOnTwin(catalog: Catalog, steps: readonly Step[]): string | undefined {
  const twin = openDatabase(":memory:", { access: "create" });
  try {
    twin.pragma("foreign_keys = OFF");
    buildSchema(twin, catalog);
    const before = workingUses(twin);
    for (const { run } of steps) run(twin);
    assertStillUsable(twin, before);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof Stop) return message;
    return `SQLite would refuse the change: ${message}. Repair or drop that object first; it is yours, so it is not touched.`;
  } finally {
    twin.close();
  }
}

/** Tables first: what depends on them comes in whatever order. */
function buildSchema(twin: Database, { entries }: Catalog): void {
  const statements = [
    ...entries.filter(({ type }) => type === "table"),
    ...entries.filter(({ type }) => type !== "table"),
  ];
  for (const { name, sql } of statements) {
    if (sql === null || name.startsWith("sqlite_")) continue;
    try {
      twin.exec(sql);
    } catch {
      // A shadow table that its virtual table made already, an unknown extension, a text that this driver does not parse.
    }
  }
}
