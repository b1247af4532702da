import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import { triggersOfSteps } from "../objects/triggers_of_steps.ts";
import { notesOnDeadTriggers } from "../objects/names_in_objects.ts";
import type { Catalog, SchemaEntry } from "../sql/catalog.ts";
import { type MetricsTable, SIDE_TABLE } from "../layouts/metrics_table.ts";
import { notesOnUnreadable } from "../proof/unreadable_tables.ts";
import { type MigrationRecord, readRecords } from "../record/migration_record.ts";
import { QUARANTINE_TABLE } from "../record/quarantine.ts";
import { assertNameIsOurs, KEPT_LEVELS } from "../record/side_tables.ts";
import { snapshotOf } from "../record/snapshot.ts";
import { checkedMergedRange, type MergedRange } from "../record/merged_rows.ts";
import { TARGET_VERSION } from "../migrate/conversion.ts";
import { markVersion } from "../steps/mark_version.ts";
import type { Step } from "../steps/step.ts";
import { type Counter, countersOf, countersStep } from "./counters.ts";
import {
  dropOwnTables,
  type ObjectChanges,
  objectChanges,
  createMissingObjects,
  notesOnSideTable,
  dropCreatedObjects,
  sideTableSteps,
} from "./objects.ts";
import { assertIndexesUsable, assertRecordsReadable, assertCanDowngrade } from "./obstacles.ts";
import { assertValuesFit, numberOf } from "./former_types.ts";
import { handledTables, type FormerState, formerStateOf, repairedReferences } from "./former_state.ts";
import {
  assertPatternColumnsFit,
  type ChangedPatternTable,
  changedPatternTables,
  formerColumnSteps,
} from "./pattern_columns.ts";
import {
  assertPatternIdsAreFree,
  notesOnRepaired,
  type QuarantinedPatterns,
  quarantinedPatterns,
  patternSteps,
} from "./quarantined_patterns.ts";
import {
  assertIdsAreFree,
  metadataLeft,
  type QuarantinedRows,
  quarantinedRows,
  restoreStep,
  countStaying,
} from "./quarantined_rows.ts";
import { saveLevelsStep, losesLevels, splitTableStep } from "./restore_rows.ts";
import { rebuildStep, renameSteps, schemaStep, replaceUnparsableForDowngrade } from "./restore_schema.ts";

/** A plan that restores the former layout of a migrated database. */
export interface DowngradePlan {
  state: FormerState;
  objects: ObjectChanges;
  /** Range of the second table's rows in `interactions`. */
  mergedRange: MergedRange | null;
  quarantined: QuarantinedRows[];
  /** Patterns and usage that return from the quarantine. */
  patterns: QuarantinedPatterns[];
  /** Tables of a pattern library whose columns were changed. */
  libraries: ChangedPatternTable[];
  /** Lower-case names of tables that the user's triggers write. */
  written: ReadonlySet<string>;
  /** Values of `sqlite_sequence` for the restored tables. */
  counters: Counter[];
  steps: Step[];
  /** The last step. Objects of the user are checked before it: former texts may not be valid for this SQLite. */
  finish: Step;
  notes: string[];
}

/**
 * Plans the steps from the records in the database itself; no backup is needed.
 *
 * @returns Undefined for a database without a record of a migration.
 * @throws Stop if an obstacle exists, or data would be lost.
 */
export function planDowngrade(database: Database, catalog: Catalog): DowngradePlan | undefined {
  const records = readRecords(database);
  if (records.length === 0) {
    assertRecordsReadable(database);
    return undefined;
  }
  const state = formerStateOf(records);
  const repaired = repairedReferences(state);
  const handled = [...handledTables(state)].filter(
    // The text of the side table is restored with its former reference.
    (name) =>
      !(name === SIDE_TABLE && state.hadSideTable && repaired.some(({ table }) => table.toLowerCase() === name)),
  );
  const ignored = new Set(handled.map((name) => `table ${name}`));
  const objects = withFormerReferences(objectChanges(records, catalog.entries, state.index, ignored), state, catalog);
  assertCanDowngrade(database, catalog, state, objects);
  const mergedRange =
    state.second === null ? null : checkedMergedRange(database, (records[state.index] as MigrationRecord).number);
  assertValuesFit(database, state, mergedRange);
  const quarantined = quarantinedRows(database, state);
  assertIdsAreFree(database, quarantined, state);
  const patterns = quarantinedPatterns(database, records);
  assertPatternIdsAreFree(database, patterns);
  const libraries = changedPatternTables(database, records);
  assertPatternColumnsFit(database, libraries);
  assertIndexesUsable(catalog, state, objects, quarantined.length > 0);
  if (losesLevels(state)) assertNameIsOurs(database, KEPT_LEVELS);
  const described: Described = {
    state,
    objects,
    mergedRange,
    quarantined,
    patterns,
    libraries,
    counters: countersOf(state, snapshotOf(database).sequence),
  };
  const steps = stepsOf(database, catalog, described);
  const former = state.second === null ? [] : triggersOn(state.second, objects, catalog);
  const triggers = triggersOfSteps([...catalog.entries, ...former], steps);
  return {
    ...described,
    steps,
    written: triggers.written,
    finish: schemaStep(restoredTexts(described, catalog), state.former.objects, repaired),
    notes: [...notesOf(database, catalog, described), ...triggers.notes],
  };
}

type Described = Pick<
  DowngradePlan,
  "state" | "objects" | "mergedRange" | "quarantined" | "patterns" | "libraries" | "counters"
>;

function stepsOf(database: Database, catalog: Catalog, described: Described): Step[] {
  const { state, objects, mergedRange, quarantined, patterns, libraries, counters } = described;
  const { former, metrics, second, userVersion } = state;
  const side = metrics !== null && catalog.columns.has(SIDE_TABLE);
  const table = metrics === null ? undefined : tableIn(former.objects, metrics);
  const beside = second === null ? undefined : tableIn(former.objects, second);
  const triggers = second === null ? [] : triggersOn(second, objects, catalog);
  const unparsable = replaceUnparsableForDowngrade(catalog, state, objects);
  return [
    ...unparsable.first,
    ...dropCreatedObjects(objects, catalog),
    ...(losesLevels(state) ? [saveLevelsStep(state, mergedRange)] : []),
    ...(second === null || beside === undefined
      ? []
      : [splitTableStep(second, beside, mergedRange, numberOf(state), triggers)]),
    ...(metrics === null ? [] : renameSteps(metrics)),
    ...(metrics === null || table === undefined || !state.rebuilds
      ? []
      : [rebuildStep(metrics, table, numberOf(state))]),
    ...unparsable.last,
    ...quarantined.map((share) => restoreStep(share, state, triggers)),
    ...patternSteps(database, patterns, formerColumnSteps(libraries)),
    ...(side ? sideTableSteps(catalog, state, metadataLeft(database, state, mergedRange, quarantined)) : []),
    ...createMissingObjects(objects, catalog),
    ...dropOwnTables(catalog, state, countStaying(database, [...quarantined, ...patterns]) > 0),
    ...(catalog.entries.some(({ name }) => name === "sqlite_sequence") && metrics !== null
      ? [countersStep(state, counters)]
      : []),
    ...markVersion(database, TARGET_VERSION, userVersion),
  ];
}

/** The user's triggers on a second table, which `up` dropped with it. */
function triggersOn({ name }: MetricsTable, { restore }: ObjectChanges, { entries }: Catalog): SchemaEntry[] {
  return restore.filter(
    (entry) =>
      entry.type === "trigger" &&
      entry.table.toLowerCase() === name.toLowerCase() &&
      !entries.some((one) => one.type === "trigger" && one.name === entry.name),
  );
}

/** If the table was renamed in place and did not change since, its former text is valid as well. */
function restoredTexts({ state, objects }: Described, { entries }: Catalog): SchemaEntry[] {
  const table = state.metrics === null ? undefined : tableIn(state.former.objects, state.metrics);
  if (table === undefined || state.rebuilds) return objects.restore;
  const text = (among: readonly SchemaEntry[]): string | null | undefined =>
    among.find(({ type, name }) => type === "table" && name === table.name)?.sql;
  const left = (state.records[state.index] as MigrationRecord).result.objects;
  return text(left) === text(entries) ? [...objects.restore, table] : objects.restore;
}

/** Restores tables whose references an earlier migration repaired than the one that found the metrics. */
function withFormerReferences(
  changes: ObjectChanges,
  { records, index }: FormerState,
  { entries }: Catalog,
): ObjectChanges {
  const tableOf = (among: readonly SchemaEntry[], table: string): SchemaEntry | undefined =>
    among.find(({ type, name }) => type === "table" && name.toLowerCase() === table.toLowerCase());
  const earlier = records.slice(0, index).flatMap(({ former, result }) => {
    const tables = new Set((former.repaired_references ?? []).map(({ table }) => table));
    return [...tables].flatMap((table) => {
      const [was, left, now] = [former.objects, result.objects, entries].map((among) => tableOf(among, table));
      return was !== undefined && left !== undefined && left.sql === now?.sql ? [was] : [];
    });
  });
  const others = changes.restore.filter(({ type, name }) => type !== "table" || tableOf(earlier, name) === undefined);
  return { ...changes, restore: [...others, ...earlier] };
}

function isRestored({ restore }: ObjectChanges, table: string): boolean {
  return restore.some(({ type, name }) => type === "table" && name.toLowerCase() === table.toLowerCase());
}

function tableIn(objects: readonly SchemaEntry[], { name }: MetricsTable): SchemaEntry | undefined {
  return objects.find((entry) => entry.type === "table" && entry.name === name);
}

function notesOf(
  database: Database,
  catalog: Catalog,
  { state, objects, mergedRange, quarantined, patterns }: Described,
): string[] {
  const side = state.metrics !== null && catalog.columns.has(SIDE_TABLE);
  const staying = countStaying(database, [...quarantined, ...patterns]);
  return [
    ...objects.notes,
    ...notesOnRepaired(database),
    ...repairedReferences(state)
      .filter(({ table }) => isRestored(objects, table))
      .map(({ table, column, parent }) => `${table}.${column} refers to the missing table ${parent} again`),
    ...notesOnUnreadable(database),
    ...(state.metrics?.names.level === null ? notesOnDeadTriggers(catalog.entries, "interactions", ["level"]) : []),
    ...(side ? notesOnSideTable(state, metadataLeft(database, state, mergedRange, quarantined)) : []),
    ...(staying === 0
      ? []
      : [
          `${rowsText(staying)} of ${QUARANTINE_TABLE} ${agreeing(staying, "does", "do")} not fit the pre-16 layout and ${agreeing(staying, "stays", "stay")} in quarantine`,
        ]),
  ];
}
