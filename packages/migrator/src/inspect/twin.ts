import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { assertStillUsable, workingUses } from "../databases/own_objects.ts";
import type { Step } from "../databases/step.ts";
import type { Catalog } from "../recognise/catalog.ts";
import { KNOWN_TABLES } from "../recognise/layout.ts";
import { Stop } from "../stop.ts";
import { buildTwin } from "./build_twin.ts";
import { addViewColumns, notesOnViews, type ViewColumns } from "./view_columns.ts";

/** What will come of a change. */
export interface Forecast {
  /** Why it would not be made; null where it would. */
  refusal: string | null;
  notes: string[];
}

/**
 * Runs the steps on an empty database in memory with the same schema, and says why not: what SQLite would refuse (a view
 * that reads a column that goes), or what it would let pass and break. It is a forecast; what cannot be built there (an
 * extension's table) is left out of it.
 */
export function forecastOnTwin(catalog: Catalog, steps: readonly Step[]): Forecast {
  if (steps.length === 0) return { refusal: null, notes: [] };
  const twin = buildTwin(catalog);
  try {
    const before = workingUses(twin);
    const views: ViewColumns = new Map();
    addViewColumns(twin, views);
    for (const { run } of steps) {
      run(twin);
      // Some can be read only after a step that repairs them.
      addViewColumns(twin, views);
    }
    assertStillUsable(twin, before);
    return { refusal: null, notes: notesOnViews(views, twin) };
  } catch (error) {
    const { message } = error as Error;
    const refusal =
      error instanceof Stop
        ? message
        : (unusableTable(twin, catalog) ??
          `SQLite would refuse the change: ${message}. Repair or drop that object first; it is yours, so it is not touched.`);
    return { refusal, notes: [] };
  } finally {
    twin.close();
  }
}

/** Says of a table that the change is about why there is none in the twin: its own text has something in it. */
function unusableTable(twin: Database, { entries }: Catalog): string | undefined {
  const built = new Set(twin.prepare("SELECT name FROM main.sqlite_schema").pluck().all());
  for (const { type, name, sql } of entries) {
    if (type !== "table" || sql === null || built.has(name) || !isKnown(name)) continue;
    try {
      twin.exec(sql);
    } catch (error) {
      return `This SQLite cannot work with the table ${name}: ${(error as Error).message}. Take that out of the table first.`;
    }
  }
  return undefined;
}

function isKnown(name: string): boolean {
  return KNOWN_TABLES.some((known) => known === name.toLowerCase());
}
