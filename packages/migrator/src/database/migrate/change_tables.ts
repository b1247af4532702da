import { INTERACTION_METADATA_TABLE } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { blockingCondition } from "@perdura/internals/validity/interaction_problems.js";
import type { Settings } from "../../core/options.ts";
import { atOnce, type InPieces } from "../../core/progress.ts";
import type { MergedRows } from "../../core/report.ts";
import type { Catalog } from "../sql/catalog.ts";
import { isRenamed, type KeptColumn, type MetricsTable, renamedColumns } from "../layouts/metrics_table.ts";
import { assertQuarantineIsOurs, quarantineStep } from "../record/quarantine.ts";
import { idRanges } from "../sql/row_id.ts";
import type { Step } from "../steps/step.ts";
import { notesOnTypes, typeSteps } from "./column_types.ts";
import { assertNotReferenced } from "../objects/foreign_keys.ts";
import type { Found, FoundTable } from "./findings.ts";
import { assertIndexesCreatable } from "../objects/index_functions.ts";
import { formerIndexes, movedTables } from "./indexes.ts";
import { levelSteps } from "../levels/level_steps.ts";
import { assertMetadataUnused, notesOnDeadTriggers } from "../objects/names_in_objects.ts";
import { assertIdsNotReused, assertNoObstacle, notesOnReused } from "./obstacles.ts";
import { assertConvertible } from "./trial_conversion.ts";
import { type RemovedNames, replaceUnparsable } from "../objects/unparsable_objects.ts";
import { assertCanMerge, planMerge } from "./merge/plan_merge.ts";
import { notesOnMerge, mergeSteps } from "./merge/merge_steps.ts";
import { countFrom } from "../sql/count_from.ts";

/** Steps for the tables of interactions, before and after those for the indexes. */
interface TableChange {
  /** Removes obstacles to changes of tables: unparsable objects, and rows that version 16 cannot hold. */
  prepare: Step[];
  tables: Step[];
  conclude: Step[];
  notes: string[];
  /** View that replaces the old table of a field layout. */
  fence: "tombstone" | null;
  merged: MergedRows | null;
}

/** @throws Stop if an obstacle exists. */
export function changeOf(database: Database, catalog: Catalog, found: Found, settings: Settings): TableChange {
  const { first, layout } = found;
  const isKept = layout.treatment === "keep" && !(settings.invalidRows === "quarantine" && (first?.blocked ?? 0) > 0);
  if (first === null || isKept) return { prepare: [], tables: [], conclude: [], notes: [], fence: null, merged: null };
  assertIndexesCreatable(catalog.entries, movedTables(found));
  for (const table of tablesOf(found)) assertConvertible(database, catalog, table, `NOT (${blockingCondition(table)})`);
  const { tables, records, notes, merged, fence } =
    found.second === null
      ? migrateOneTable(database, catalog, found, first, settings)
      : mergeTables(database, catalog, found, first, found.second, settings);
  const unparsable = replaceUnparsable(catalog, removedNames(found));
  return {
    prepare: [
      ...unparsable.first,
      ...quarantines(database, catalog, found, settings),
      ...tablesOf(found).flatMap((table) => typeSteps(table, "e.id")),
    ],
    tables,
    conclude: [...records, ...unparsable.last],
    notes: [...tablesOf(found).flatMap(notesOnTypes), ...notes, ...unparsable.notes],
    fence,
    merged,
  };
}

/** Differences between one table and two. */
interface OwnChange extends Pick<TableChange, "tables" | "notes" | "fence" | "merged"> {
  /** Steps that record the origin of values. */
  records: Step[];
}

function migrateOneTable(
  database: Database,
  catalog: Catalog,
  { layout, levels }: Found,
  { table }: FoundTable,
  settings: Settings,
): OwnChange {
  assertNoObstacle(database, catalog, table);
  assertMetadataUnused(catalog, table);
  const { metadata } = table.names;
  const missing =
    levels === null ? { add: [], fill: [], record: [] } : levelSteps(levels.source, levels.rows, metadata !== null);
  return {
    tables: [
      ...(isRenamed(table) ? [renameTable(table.name)] : []),
      ...renamedColumns(table).map(renameColumn),
      ...missing.add,
      ...(metadata === null ? [] : moveMetadata(metadata)),
      ...missing.fill,
    ],
    records: missing.record,
    notes: [
      ...notesOnReused(database, table),
      ...(metadata === null ? [] : notesOnDeadTriggers(catalog.entries, table.name, [metadata])),
    ],
    fence: layout.tables[0]?.programs !== undefined && settings.fence !== "none" ? settings.fence : null,
    merged: null,
  };
}

function mergeTables(
  database: Database,
  catalog: Catalog,
  { layout, levels }: Found,
  { table: first }: FoundTable,
  { table: second }: FoundTable,
  settings: Settings,
): OwnChange {
  assertCanMerge(database, catalog, first, second);
  const merge = planMerge(database, first, second, settings.invalidRows === "quarantine");
  return {
    tables: [...renamedColumns(first).map(renameColumn), ...mergeSteps(merge, levels?.source ?? null)],
    records: [],
    notes: notesOnMerge(database, catalog, first, merge, formerIndexes(database, catalog, layout)),
    fence: settings.fence === "none" ? null : settings.fence,
    merged: {
      table: second.name,
      rows: merge.rows,
      id_offset: merge.idOffset,
      first_id: merge.first,
      last_id: merge.last,
    },
  };
}

function tablesOf({ first, second }: Found): MetricsTable[] {
  return [first, second].flatMap((found) => (found === null ? [] : [found.table]));
}

function quarantines(database: Database, catalog: Catalog, { first, second }: Found, settings: Settings): Step[] {
  if (settings.invalidRows !== "quarantine") return [];
  return [first, second].flatMap((found) => {
    if (found === null || found.blocked === 0) return [];
    assertQuarantineIsOurs(database);
    assertNotReferenced(database, found.table);
    // The rows of a second table get new ids, and its own ids are not used again.
    if (found !== second) assertIdsNotReused(database, catalog, found.table);
    return [quarantineStep(found.table, found.blocked)];
  });
}

function removedNames(found: Found): RemovedNames {
  const tables = tablesOf(found);
  const columns = tables.flatMap((table) => renamedColumns(table).map(({ name }) => name));
  return {
    renamed: [...tables.filter(isRenamed).map(({ name }) => name), ...new Set(columns)],
    dropped: tables.flatMap(({ names: { metadata } }) => (metadata === null ? [] : [metadata])),
  };
}

/** Renames the table of a field layout to the documented name. */
const renameTable = (name: string): Step => ({
  title: `rename the table ${name} to interactions`,
  run: (database) => void database.exec(`ALTER TABLE main.${sqlName(name)} RENAME TO interactions`),
});

/** Renames a column to its name in version 16. */
const renameColumn = ({ name, to }: KeptColumn): Step => ({
  title: `rename the column ${name} to ${to}`,
  run: (database) => void database.exec(`ALTER TABLE main.interactions RENAME COLUMN ${sqlName(name)} TO ${to}`),
});

/** Moves the metadata of a field layout to its table in version 16, and drops the column. */
const moveMetadata = (column: string): Step[] => [
  {
    title: "move the metadata to the table interaction_metadata",
    run: (database) => atOnce(copyMetadata(database, column)),
    pieces: (database) => copyMetadata(database, column),
  },
  {
    title: `drop the column ${column}`,
    whole: true,
    run: (database) => void database.exec(`ALTER TABLE main.interactions DROP COLUMN ${sqlName(column)}`),
  },
];

function* copyMetadata(database: Database, column: string): InPieces<void> {
  const metadata = sqlName(column);
  database.exec(INTERACTION_METADATA_TABLE);
  const total = countFrom(database, "main.interactions");
  const ranges = idRanges(database, "main.interactions", "id", total);
  for (const [index, { first, last }] of ranges.entries()) {
    if (index > 0) yield { done: Math.floor((total * index) / ranges.length), total };
    database.exec(
      `INSERT INTO main.interaction_metadata SELECT id, ${metadata} FROM main.interactions WHERE ${metadata} IS NOT NULL AND id BETWEEN ${first} AND ${last} ORDER BY id`,
    );
  }
}
