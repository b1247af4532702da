import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { addLayout, MADE_UP_LAYOUT } from "./made_up_layouts.ts";
import { OLD_TABLES, oldTable, type OldTable, titleOf } from "./old_table.ts";

/** Every layout that `up` migrates, and one that the tests make up. */
export const ALL_TABLES: readonly OldTable[] = [...OLD_TABLES.map(([, old]) => old), oldTable(MADE_UP_LAYOUT)];

/** Those with a level and metadata, for tests whose statements name both. */
export const TABLES_WITH_ALL_COLUMNS: readonly OldTable[] = ALL_TABLES.filter(
  ({ names }) => names.level !== undefined && names.metadata !== undefined,
);

/** Runs tests for each of {@link ALL_TABLES}, or for some of them. */
export function layoutSuite(tests: (old: OldTable) => void, isMeant: (old: OldTable) => boolean = () => true): void {
  describe.each(ALL_TABLES.filter(isMeant).map((old) => [titleOf(old), old] as const))("%s", (_title, old) => {
    let remove: () => void;
    beforeAll(() => {
      remove = addLayout(old.layout);
    });
    afterAll(() => remove());
    tests(old);
  });
}

/** Makes the migrator know the layout of a table until the test ends. */
export function useLayout({ layout }: OldTable): void {
  onTestFinished(addLayout(layout));
}

/**
 * Gives each case of a suite the next layout, as its last element: together they cost no more than on one layout, and
 * each layout meets several cases. A case that names `empathy_level` or `metadata` gets a layout with this column.
 */
export function rotated<Case extends readonly unknown[]>(
  cases: readonly Case[],
  tables: readonly OldTable[] = ALL_TABLES,
): (readonly [...Case, OldTable])[] {
  return cases.map((one, index) => {
    const text = JSON.stringify(one);
    const usable = tables.filter(
      ({ names }) =>
        (names.level !== undefined || !text.includes("empathy_level")) &&
        (names.metadata !== undefined || !/\bmetadata\b/.test(text)),
    );
    return [...one, usable[index % usable.length] as OldTable] as const;
  });
}

/** True for a layout with levels. */
export const hasLevels = ({ names }: OldTable): boolean => names.level !== undefined;

/** True for a table whose rows `up` merges into `interactions`. */
export const isMerged = ({ table, layout }: OldTable): boolean =>
  table !== "interactions" && table !== layout.programs?.rebuilt;
