import { lacksCollation } from "@perdura/internals/sqlite/collations.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { Stop } from "../../core/stop.ts";
import { assertStillUsable, workingUses } from "../objects/working_uses.ts";
import { attachEmptyLevels } from "../levels/level_file.ts";
import type { LevelFile } from "../levels/level_source.ts";
import { allColumnsOf, type Catalog, schemaEntries } from "../sql/catalog.ts";
import { INTERACTIONS } from "../layouts/metrics_table.ts";
import { removeCollations } from "../layouts/remove_collations.ts";
import { knownTables, metricsTables } from "../layouts/table_layouts.ts";
import { assertTriggersCompile, copySamples } from "./replica_rows.ts";
import { tryWriting } from "./trial_rows.ts";
import { buildReplica } from "../sql/replica.ts";
import type { Step } from "../steps/step.ts";

/** Expected outcome of a change. */
interface Forecast {
  /** Reason why it would fail; null if it would succeed. */
  refusal: string | null;
  notes: string[];
}

/**
 * Runs the steps on a database in memory with the same schema, and reports failures: statements that SQLite would refuse
 * (a view that reads a dropped column), or accept although they break objects, triggers that fail, and rows that version
 * 16 could not write afterwards. This is a forecast; objects that cannot be built there (an extension's table) are not included.
 *
 * @param database Source of some of the rows that the steps change; without it the tables are empty.
 * @param levels The copy with levels that the steps read.
 */
export function forecastOnReplica(
  catalog: Catalog,
  steps: readonly Step[],
  database?: Database,
  levels: LevelFile | null = null,
): Forecast {
  if (steps.length === 0 && database === undefined) return { refusal: null, notes: [] };
  const { isUncertain, ...forecast } = attempt(catalog, steps, database, levels);
  // Only the database itself shows whether a table of the user that is empty in the replica would make a trigger fail.
  return isUncertain ? forecastOnReplica(catalog, steps, undefined, levels) : forecast;
}

/** @returns A forecast; `isUncertain` if it failed in a way that may be due to missing rows. */
function attempt(
  catalog: Catalog,
  steps: readonly Step[],
  database: Database | undefined,
  levels: LevelFile | null,
): Forecast & { isUncertain: boolean } {
  const replica = buildReplica(catalog);
  try {
    if (levels !== null) attachEmptyLevels(replica, levels);
    const changes = steps.flatMap((step) => step.changes ?? []);
    assertTriggersCompile(replica, changes);
    if (database !== undefined) copySamples(database, replica, changes);
    const before = workingUses(replica);
    const views: ViewColumns = new Map();
    addViewColumns(replica, views);
    for (const { run } of steps) {
      run(replica);
      // Some views can be read only after a step that repairs them.
      addViewColumns(replica, views);
    }
    assertStillUsable(replica, before);
    const trial = database === undefined ? { refusal: null, notes: [] } : tryWriting(replica, database, catalog);
    return { ...trial, notes: [...notesOnViews(views, replica), ...trial.notes], isUncertain: false };
  } catch (error) {
    const { message } = error as Error;
    const way = database !== undefined && lacksCollation(error) ? removeCollations(database) : undefined;
    if (way !== undefined) return { refusal: `${rejection(message, catalog)} ${way}`, notes: [], isUncertain: false };
    const refusal =
      error instanceof Stop
        ? message
        : (unusableTable(replica, catalog) ?? `${rejection(message, catalog)} ${CORRECTION}`);
    return { refusal, notes: [], isUncertain: database !== undefined && isOfRows(error as Error) };
  } finally {
    replica.close();
  }
}

/** False for a trigger that raises an error, ignores a row, or whose own statements violate a constraint. */
function isOfRows(error: Error): boolean {
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return !(error instanceof Stop) || (typeof code === "string" && !code.startsWith("SQLITE_CONSTRAINT"));
}

const CORRECTION = "Correct the view, trigger or constraint that causes this first; no row needs to be removed.";

/** The message uses names of tables from the middle of the change. */
function rejection(message: string, { entries }: Catalog): string {
  const has = (wanted: string): boolean =>
    entries.some(({ type, name }) => type === "table" && name.toLowerCase() === wanted);
  const former = has(INTERACTIONS) ? undefined : metricsTables().find(has);
  const names = former === undefined ? "" : ` (${INTERACTIONS} is the new name of the table ${former})`;
  return `SQLite would reject the change: ${message}${names}. Nothing was changed.`;
}

/** The reason why a table of the change could not be built in the replica: a fault in its own text. */
function unusableTable(replica: Database, { entries }: Catalog): string | undefined {
  const built = new Set(replica.prepare("SELECT name FROM main.sqlite_schema").pluck().all());
  for (const { type, name, sql } of entries) {
    if (type !== "table" || sql === null || built.has(name) || !isKnown(name)) continue;
    try {
      replica.exec(sql);
    } catch (error) {
      return `This SQLite cannot use the table ${name}: ${(error as Error).message}. Remove the cause from the table definition first.`;
    }
  }
  return undefined;
}

function isKnown(name: string): boolean {
  return knownTables().some((known) => known === name.toLowerCase());
}

/** Columns of each view that can be read. */
type ViewColumns = Map<string, string[]>;

/** Adds the views that can be read now; those that were known stay unchanged. */
function addViewColumns(database: Database, known: ViewColumns): void {
  for (const view of viewsOf(database).filter((name) => !known.has(name))) {
    const columns = columnsOfView(database, view);
    if (columns !== undefined) known.set(view, columns);
  }
}

/**
 * Notes on views whose columns change: programs that read them by name are affected. A view that was dropped was a
 * fence, not the user's.
 */
function notesOnViews(before: ViewColumns, database: Database): string[] {
  const views = new Set(viewsOf(database));
  return [...before].flatMap(([view, were]) => {
    if (!views.has(view)) return [];
    const are = columnsOfView(database, view) ?? were;
    const [gone, come] = [without(were, are), without(are, were)];
    const changes = [
      ...(gone.length === 0 ? [] : [`${gone.join(", ")} ${gone.length === 1 ? "is" : "are"} removed`]),
      ...(come.length === 0 ? [] : [`${come.join(", ")} ${come.length === 1 ? "is" : "are"} added`]),
    ];
    return changes.length === 0 ? [] : [`the columns of your view ${view} change: ${changes.join(", ")}`];
  });
}

function viewsOf(database: Database): string[] {
  return schemaEntries(database).flatMap(({ type, name }) => (type === "view" ? [name] : []));
}

function without(columns: readonly string[], others: readonly string[]): string[] {
  return columns.filter((column) => !others.includes(column));
}

function columnsOfView(database: Database, view: string): string[] | undefined {
  try {
    return allColumnsOf(database, view);
  } catch {
    // The view is broken; another check reports it.
    return undefined;
  }
}
