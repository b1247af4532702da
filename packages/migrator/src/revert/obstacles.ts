import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { assertIndexesCanBeMade } from "../databases/index_functions.ts";
import { type Catalog, entryNamed, hasTable, type SchemaEntry } from "../recognise/catalog.ts";
import { recognise } from "../recognise/recognise.ts";
import { Stop } from "../core/stop.ts";
import { nowCalled } from "./columns.ts";
import type { Lineage } from "./lineage.ts";
import { SIDE_TABLE } from "./names.ts";
import type { OldForm } from "./old_form.ts";
import { assertOwnColumns } from "./own_columns.ts";
import { columnsByText } from "./recorded_columns.ts";

/** @throws Stop for whatever the way back would fail on, or lose. */
export function assertWayIsFree(database: Database, catalog: Catalog, form: OldForm, lineage: Lineage): void {
  const { metrics, second } = form;
  assertOwnColumns(database, form);
  if (metrics === null) return;
  for (const { name } of [metrics, ...(second === null ? [] : [second])])
    if (name.toLowerCase() !== "interactions") assertNameIsFree(catalog, name, lineage);
  if (!hasTable(catalog, "interactions"))
    throw new Stop(
      "refused",
      "The table interactions of version 16 is not there, so that there are no rows to bring back. Use the backup from before the migration.",
    );
  assertSameColumns(database, form);
  assertNoVirtualTable(catalog, form);
}

function assertNameIsFree(catalog: Catalog, name: string, { remove }: Lineage): void {
  const taken = entryNamed(catalog, name);
  if (taken === undefined || remove.some((entry) => entry.type === taken.type && entry.name === taken.name)) return;
  throw new Stop("refused", taken.type === "table" ? besideInteractions(catalog, taken.name) : notOurs(taken));
}

/** What `up` would unite is the table of an old program; any other is of somebody who needed that name. */
function besideInteractions(catalog: Catalog, name: string): string {
  return recognise(catalog).treatment === "unite"
    ? `A table ${name} stands beside interactions: a program of before 16 has begun it since the migration. Run up first, which unites the two; then run down.`
    : `The name ${name} is needed for the table of the old layout, but there is a table of that name now, and its columns are not those that a program of before 16 makes, so that up cannot unite the two. Rename or drop that table first; then run down.`;
}

function notOurs({ type, name }: SchemaEntry): string {
  return `The name ${name} is needed for the table of the old layout, but the ${type} of that name is not the one that the migration made. Rename it first.`;
}

/**
 * Looks at indexes that stay, and at those that are made again. Where only names change, nothing is done to an index.
 *
 * @param returns True when rows come back from the quarantine.
 * @throws Stop naming one that calls a function that is not there.
 */
export function assertIndexesWork(catalog: Catalog, form: OldForm, { restore }: Lineage, returns: boolean): void {
  const { former, metrics, second, rebuilds } = form;
  if (rebuilds || second !== null || returns) assertIndexesCanBeMade(catalog.entries, ["interactions", SIDE_TABLE]);
  const old = [metrics, second].flatMap((table) => (table === null ? [] : [table.name]));
  const indexes = restore.filter(({ type, name }) => type === "index" && entryNamed(catalog, name, type) === undefined);
  assertIndexesCanBeMade([...former.objects.filter(({ type }) => type === "table"), ...indexes], old);
}

/** A column that came since has no place in the old table, and one that went has left no values. */
function assertSameColumns(database: Database, form: OldForm): void {
  const listed = database.prepare("SELECT name FROM pragma_table_xinfo('interactions', 'main')").pluck();
  const now = (listed.all() as string[]).map(lower);
  const expected = expectedColumns(form);
  const added = now.filter((column) => !expected.includes(column));
  const gone = expected.filter((column) => !now.includes(column));
  if (gone.length > 0)
    throw new Stop(
      "refused",
      `The column ${gone[0]} of interactions was dropped or renamed since the migration, and the old layout needs it. Add it again first.`,
    );
  if (added.length > 0)
    throw new Stop(
      "refused",
      `The column ${added[0]} of interactions was added since the migration, and the old layout has no place for it. Move what it holds elsewhere and drop it, or stay with version 16.`,
    );
}

function expectedColumns({ metrics, former }: OldForm): string[] {
  if (metrics === null) return [];
  const entry = former.objects.find(({ type, name }) => type === "table" && name === metrics.name);
  const kept = columnsByText(metrics.columns, entry).filter((column) => column !== metrics.metadata);
  const named = kept.map((column) => (nowCalled(metrics, column) === "level" ? "level" : column));
  return [...new Set([...named.map(lower), "level"])];
}

/** Virtual tables keep names of tables and columns in their arguments, which no ALTER TABLE changes. */
function assertNoVirtualTable({ entries }: Catalog, { rebuilds }: OldForm): void {
  const word = rebuilds ? "interactions" : "level";
  const found = entries.find(
    ({ sql }) => sql !== null && /^\s*CREATE\s+VIRTUAL\b/i.test(sql) && new RegExp(`\\b${word}\\b`, "i").test(sql),
  );
  if (found !== undefined)
    throw new Stop(
      "refused",
      `The virtual table ${found.name} mentions ${word}, which gets its old name again, and would read the wrong thing afterwards. Drop it first.`,
    );
}

function lower(name: string): string {
  return name.toLowerCase();
}
