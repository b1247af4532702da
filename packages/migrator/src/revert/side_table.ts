import { sqlName } from "../databases/sql_text.ts";
import type { Step } from "../databases/step.ts";
import type { Catalog } from "../recognise/catalog.ts";
import { SIDE_TABLE } from "./names.ts";
import { assertNothingOnIt } from "./objects.ts";
import type { OldForm } from "./old_form.ts";

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
