import { QUARANTINE_TABLE } from "../record/quarantine_table.ts";
import { sqlName } from "../sql/sql_text.ts";
import type { Step } from "../step.ts";
import { type Catalog, entryNamed, type SchemaEntry } from "../layouts/catalog.ts";
import { OWN_TABLES } from "../record/own_tables.ts";
import { Stop } from "../../core/stop.ts";
import type { Lineage } from "./lineage.ts";
import { makeObject } from "./make_object.ts";
import { type OldForm, SIDE_TABLE } from "./old_form.ts";

/** What goes first stands first: a trigger belongs to its view. */
const ORDER = ["trigger", "index", "view"];

/** Drops the indexes that a migration built, and what fenced off programs of before 16. */
export function removeMade({ remove }: Lineage, catalog: Catalog): Step[] {
  for (const { name } of remove.filter(({ type }) => type === "view")) assertNothingOnIt(catalog, name, remove);
  return remove
    .filter(({ type }) => type !== "table")
    .toSorted((one, other) => ORDER.indexOf(one.type) - ORDER.indexOf(other.type))
    .map(({ type, name }) => ({
      title: `drop the ${type} ${name}, which the migration made`,
      run: (database) => void database.exec(`DROP ${type.toUpperCase()} main.${sqlName(name)}`),
    }));
}

/** Makes indexes, views and triggers again that went with the old layout. */
export function makeMissing({ restore }: Lineage, { entries }: Catalog): Step[] {
  const isThere = (entry: SchemaEntry): boolean =>
    entries.some(({ type, name }) => type === entry.type && name === entry.name);
  return restore
    .filter((entry) => entry.type !== "table" && !isThere(entry))
    .map((entry) => ({
      title: `make the ${entry.type} ${entry.name} of the old layout`,
      whole: entry.type === "index",
      run: (database) => makeObject(database, entry),
    }));
}

/**
 * Drops the tables in which the migrations kept their records.
 *
 * @param stays Whether rows stay in the quarantine.
 */
export function dropOwnTables(catalog: Catalog, { records }: OldForm, stays: boolean): Step[] {
  const before = new Set(records[0]?.former.objects.map(({ name }) => name.toLowerCase()));
  return [...OWN_TABLES]
    .filter((name) => !before.has(name) && entryNamed(catalog, name, "table") !== undefined)
    .filter((name) => !(stays && name === QUARANTINE_TABLE))
    .map((name) => {
      assertNothingOnIt(catalog, name, []);
      return { title: `drop the table ${name}`, run: (database) => void database.exec(`DROP TABLE main.${name}`) };
    });
}

/**
 * @param made What the migration made itself.
 * @throws Stop naming an index or trigger of the user that would go with a table or view.
 */
function assertNothingOnIt({ entries }: Catalog, name: string, made: readonly SchemaEntry[]): void {
  const found = entries.find(
    (entry) =>
      (entry.type === "index" || entry.type === "trigger") &&
      entry.sql !== null &&
      entry.table.toLowerCase() === name.toLowerCase() &&
      !made.includes(entry),
  );
  if (found !== undefined)
    throw new Stop(
      "refused",
      `The ${found.type} ${found.name} is on ${name}, which the old layout does not have. Drop it first.`,
    );
}

/**
 * Takes the side table for metadata away where the old layout had none and nothing is left in it; otherwise only what
 * has gone back into its column.
 *
 * @param left How many of its rows have no other place.
 */
export function sideTableSteps(catalog: Catalog, form: OldForm, left: number): Step[] {
  const { metrics, rebuilds, hadSideTable } = form;
  if (!hadSideTable && left === 0) {
    assertNothingOnIt(catalog, SIDE_TABLE, []);
    return [
      {
        title: `drop the side table ${SIDE_TABLE}, in which nothing is left`,
        run: (database) => void database.exec(`DROP TABLE main.${SIDE_TABLE}`),
      },
    ];
  }
  if (metrics === null || !rebuilds || metrics.metadata === null) return [];
  return [
    {
      title: `take the metadata that is in its column again out of ${SIDE_TABLE}`,
      run: (database) =>
        void database.exec(
          `DELETE FROM main.${SIDE_TABLE} WHERE interaction_id IN (SELECT id FROM main.${sqlName(metrics.name)})`,
        ),
    },
  ];
}

/**
 * Says why the side table is there although the old layout had none.
 *
 * @param left As above.
 */
export function notesOnSideTable({ metrics, hadSideTable }: OldForm, left: number): string[] {
  if (hadSideTable || left === 0) return [];
  return [
    metrics?.metadata === null
      ? `the table ${SIDE_TABLE} stays: the old layout has no column for the metadata in it`
      : `the table ${SIDE_TABLE} stays: it holds metadata of interactions that were deleted, so that there is no row for it to go back to; a later up takes the table over`,
  ];
}
