import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Settings } from "../../core/options.ts";
import type { MergedRows } from "../../core/report.ts";
import { type Catalog, columnsOfTable } from "../sql/catalog.ts";
import { differentPatternTables } from "../layouts/pattern_tables.ts";
import { patternSteps } from "../patterns/pattern_steps.ts";
import { addRecord, type Former, readRecords, type RepairedReference } from "../record/migration_record.ts";
import { assertNameIsOurs, ASSUMED_LEVELS, CONVERTED_VALUES, RECORD, RECORD_TABLE } from "../record/side_tables.ts";
import { snapshotOf } from "../record/snapshot.ts";
import { assertRowsDistinguishable } from "../sql/row_id.ts";
import { markVersion } from "../steps/mark_version.ts";
import type { Step } from "../steps/step.ts";
import { changeOf } from "./change_tables.ts";
import { fenceSteps } from "./fence.ts";
import type { Found } from "./findings.ts";
import { examineReferences, repairSteps } from "./missing_parents.ts";
import { assertUsageIsTable } from "./obstacles.ts";
import { planIndexes } from "./indexes.ts";
import { notesOnPatternColumns, patternColumnSteps, uniqueIdSteps } from "./pattern_columns.ts";
import { assertConvertible } from "./trial_conversion.ts";
import { triggersOfSteps } from "../objects/triggers_of_steps.ts";

/** The value of `user_version` that marks a database of version 16. */
export const TARGET_VERSION = 16;

/** Steps that migrate a database to version 16; empty if it already conforms. */
export interface Conversion {
  steps: Step[];
  /** Names of indexes of the old layout that do not exist afterwards. */
  dropped: string[];
  notes: string[];
  /** Lower-case names of tables that the user's triggers write. */
  written: ReadonlySet<string>;
  /** References to missing tables that a decision repairs. */
  repairable: RepairedReference[];
  /** Rows of a second table that are merged into the first, or null. */
  merged: MergedRows | null;
}

/**
 * Plans the steps for a database whose layout is known.
 *
 * @throws Stop if an obstacle exists, for example a needed name that is taken.
 */
export function conversionOf(database: Database, catalog: Catalog, found: Found, settings: Settings): Conversion {
  const { layout, first, second } = found;
  // A damaged record is reported as early as possible: no downgrade is possible with it.
  readRecords(database);
  const parents = examineReferences(database, found);
  const { repairable } = parents;
  const repairs = settings.brokenReferences === "repair" ? repairable : [];
  const change = changeOf(database, catalog, found, settings);
  const indexes = planIndexes(database, catalog, found);
  if (found.patterns !== null) assertUsageIsTable(catalog);
  const libraries = found.patterns === null ? [] : differentPatternTables(database);
  for (const table of libraries)
    assertConvertible(database, catalog, { ...table, columns: columnsOfTable(database, table.name) }, "true");
  const notes = [...notesOnPatternColumns(libraries), ...change.notes, ...parents.notes];
  const steps = [
    ...repairSteps(repairs),
    ...patternSteps(
      database,
      found.patterns,
      patternColumnSteps(database, libraries),
      settings.invalidRows === "quarantine",
    ),
    ...change.prepare,
    ...indexes.drop,
    ...change.tables,
    ...indexes.build,
    ...(change.fence === null ? [] : fenceSteps(found.layout, catalog)),
    ...(found.patterns === null ? [] : uniqueIdSteps(database)),
    ...change.conclude,
  ];
  if (steps.length === 0) return { steps, dropped: [], written: new Set(), notes, repairable, merged: null };
  assertRowsDistinguishable(database);
  assertNameIsOurs(database, RECORD);
  if (found.levels !== null) assertNameIsOurs(database, ASSUMED_LEVELS);
  if ([first?.table, second?.table, ...libraries].some((table) => (table?.otherTypes.length ?? 0) > 0))
    assertNameIsOurs(database, CONVERTED_VALUES);
  const former: Former = {
    ...snapshotOf(database),
    user_version: database.pragma("user_version", { simple: true }) as number,
    metrics: first?.table ?? null,
    second: second?.table ?? null,
    libraries,
    ...(repairs.length === 0 ? {} : { repaired_references: repairs }),
    built: indexes.built,
    dropped: indexes.dropped,
  };
  const triggers = triggersOfSteps(catalog.entries, steps);
  const record = recordStep({ layout: layout.name, fence: change.fence, former });
  return {
    steps: [...steps, record, ...markVersion(database, 0, TARGET_VERSION)],
    dropped: indexes.dropped,
    written: triggers.written,
    notes: [...notes, ...triggers.notes],
    repairable,
    merged: change.merged,
  };
}

const recordStep = (record: Parameters<typeof addRecord>[1]): Step => ({
  title: `record the former state of the database in the table ${RECORD_TABLE}, for a downgrade`,
  run: (database) => addRecord(database, record),
});
