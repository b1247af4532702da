import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { usedUpAt } from "@perdura/internals/validity/exact_ids.js";
import type { Settings } from "../../core/options.ts";
import { atOnce } from "../../core/progress.ts";
import type { Decision, UnusualRows } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import { type Conversion, conversionOf } from "../migrate/conversion.ts";
import type { Found } from "../migrate/findings.ts";
import { refusalOf } from "../migrate/missing_parents.ts";
import { levelFileOf, type NamedLevelFile } from "../levels/level_file.ts";
import { type ReadLevels, noUserLevels } from "../levels/level_source.ts";
import type { Catalog } from "../sql/catalog.ts";
import { hasPatterns, recogniseDatabase } from "../layouts/known_layouts.ts";
import { type Layout, metricsTableOf, secondTableOf } from "../layouts/layout.ts";
import { levelTableNamed, levelTables } from "../layouts/level_tables.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { pendingDecisions as pendingPatternDecisions } from "../patterns/decisions_report.ts";
import { type PatternSurvey, surveyPatterns } from "../patterns/survey_patterns.ts";
import { notesOnUnreadable } from "../proof/unreadable_tables.ts";
import { DamagedRecord } from "../record/migration_record.ts";
import { countFrom } from "../sql/count_from.ts";
import { allOf } from "../sql/sql_text.ts";
import type { Counts } from "./examine.ts";
import { decideLevels, type LevelDecision } from "../levels/missing_levels.ts";
import { countRows, type RowCount } from "./count_rows.ts";
import { countTables } from "./count_tables.ts";
import { compareWith, noteOn, renamedSentence } from "../levels/other_tables.ts";
import { forecastOnReplica } from "../forecast/schema_replica.ts";
import { waysOut } from "./ways_out.ts";

/** Findings about one database, and the steps that migrate it to version 16. */
export interface Inspection {
  catalog: Catalog;
  layout: Layout;
  /** The table of interactions, if the layout has one. */
  metrics: MetricsTable | null;
  /** A second one, whose rows are merged into the first. */
  second: MetricsTable | null;
  tables: { table: string; rows: number }[];
  unusual: UnusualRows[];
  /** Survey of the patterns; null without patterns. */
  patterns: PatternSurvey | null;
  /** Source of the levels if a table has none; otherwise null. */
  levels: LevelDecision | null;
  /** Names of other tables with levels. */
  levelTables: string[];
  conversion: Conversion;
  notes: string[];
  /** Reason why it cannot be migrated, or null. */
  refusal: string | null;
  /** Decisions after which it can be migrated. */
  decisions: Decision[];
}

/**
 * Inspects a database through an open connection without changes. Also called inside the transaction that changes it.
 *
 * @param askLevels Reads the levels in collaboration states, for rows without one.
 * @param counts Results of an earlier examination of the rows.
 * @param levelFile A copy with levels that is attached as `levels`.
 */
export function inspectDatabase(
  database: Database,
  settings: Settings,
  askLevels: ReadLevels = noUserLevels,
  counts?: Counts,
  levelFile: NamedLevelFile | null = null,
): Inspection {
  const { catalog, layout } = counts ?? recogniseDatabase(database);
  const metrics = metricsTableOf(catalog, layout);
  const second = secondTableOf(catalog, layout);
  const first = countTable(database, metrics, counts);
  const other = countTable(database, second, counts);
  const patterns = hasPatterns(catalog) ? (counts?.patterns ?? atOnce(surveyPatterns(database, settings))) : null;
  const unusual = [
    ...first.unusual,
    ...other.unusual.map((rows) => ofTable(rows, second)),
    ...(patterns?.unusual ?? []),
  ];
  const unlevelled = [metrics, second].filter((table) => table !== null).find(({ names }) => names.level === null);
  const renamed = levelTables(database);
  const others =
    metrics === null || layout.treatment === "refuse"
      ? []
      : renamed.map((table) => compareWith(database, unlevelled ?? metrics, table));
  const levels =
    unlevelled === undefined
      ? null
      : decideLevels(database, unlevelled, layout.name, settings, askLevels, others, levelFileOf(database, levelFile));
  const asked = settings.missingLevel?.fromTable ?? null;
  const named = asked === null ? undefined : levelTableNamed(renamed, asked);
  const base = {
    catalog,
    layout,
    metrics,
    second,
    tables: countTables(database, catalog, metrics === null ? undefined : { table: metrics.name, rows: first.rows }),
    unusual,
    patterns,
    levels,
    notes: [
      ...notesOn(metrics, layout),
      ...notesOnUsedUpIds(database, metrics),
      ...notesOnInterruptedUpgrade(database, catalog, layout),
      ...others.flatMap((one) => noteOn(one, (unlevelled ?? metrics) as MetricsTable, one.table === named)),
      ...(levels?.notes ?? []),
    ],
    levelTables: renamed.map(({ name }) => name),
    decisions: [],
  };
  const nothing: Conversion = { steps: [], dropped: [], written: new Set(), notes: [], repairable: [], merged: null };
  const lost =
    metrics === null ? renamed.find((table) => table.hasInteractions && holdsRows(database, table.name)) : undefined;
  if (lost !== undefined && layout.treatment !== "refuse")
    return { ...base, conversion: nothing, refusal: renamedSentence(lost) };
  if (layout.treatment === "refuse") return { ...base, conversion: nothing, refusal: layout.sentence ?? null };
  if (layout.treatment === "leave") return { ...base, conversion: nothing, refusal: null };
  try {
    const found = {
      layout,
      first: metrics === null ? null : { table: metrics, blocked: first.blocked },
      second: second === null ? null : { table: second, blocked: other.blocked },
      patterns,
      levels,
    };
    const conversion = conversionOf(database, catalog, found, settings);
    // A forecast without the repair would only be about the missing tables.
    const repaired: Settings = { ...settings, brokenReferences: "repair" };
    const { steps } =
      conversion.repairable.length === 0 ? conversion : conversionOf(database, catalog, found, repaired);
    const forecast = forecastOnReplica(catalog, steps, database, levels?.source.file);
    return {
      ...base,
      conversion,
      notes: [
        ...base.notes,
        ...conversion.notes,
        ...(conversion.steps.length === 0 ? [] : notesOnUnreadable(database)),
        ...forecast.notes,
      ],
      ...(forecast.refusal === null
        ? pendingDecisions(database, found, { ...base, conversion }, settings)
        : { refusal: forecast.refusal, decisions: [] }),
    };
  } catch (error) {
    if (!(error instanceof Stop) || error instanceof DamagedRecord) throw error;
    return { ...base, conversion: nothing, refusal: error.message };
  }
}

function holdsRows(database: Database, table: string): boolean {
  return database.prepare(`SELECT 1 FROM main.${sqlName(table)} LIMIT 1`).get() !== undefined;
}

function countTable(database: Database, table: MetricsTable | null, counts: Counts | undefined): RowCount {
  if (table === null) return { rows: 0, unusual: [], blocked: 0 };
  return counts?.metrics.get(table.name) ?? atOnce(countRows(database, table));
}

/** Of two tables, the description names the second. */
function ofTable(unusual: UnusualRows, table: MetricsTable | null): UnusualRows {
  return { ...unusual, description: `${unusual.description} (in the table ${table?.name})` };
}

const INVALID_ROWS =
  "Some rows are invalid in version 16. Correct them, or move them to quarantine with --invalid-rows quarantine.";

/** All pending decisions in one text, and those that let `up` continue; no text if none is needed. */
function pendingDecisions(
  database: Database,
  found: Found,
  {
    catalog,
    unusual,
    patterns,
    levels,
    conversion,
  }: Pick<Inspection, "catalog" | "unusual" | "patterns" | "levels" | "conversion">,
  settings: Settings,
): Pick<Inspection, "refusal" | "decisions"> {
  const aborts = settings.invalidRows === "abort";
  const ofMetrics = unusual.filter((rows) => patterns?.unusual.includes(rows) !== true);
  const blocks = aborts && ofMetrics.some((rows) => rows.blocks);
  const ofPatterns = pendingPatternDecisions(aborts ? (patterns?.unusual ?? []) : [], patterns?.choices ?? []);
  const ofLevels = levels?.refusal ?? null;
  const ofReferences = settings.brokenReferences === "repair" ? null : refusalOf(conversion.repairable, found);
  const repaired: Settings = { ...settings, brokenReferences: "repair" };
  const { decisions, obstacle } =
    blocks || ofPatterns !== null ? waysOut(database, catalog, found, repaired) : { decisions: [], obstacle: null };
  const ofRows =
    obstacle === null
      ? [blocks ? INVALID_ROWS : null, ofPatterns]
      : [
          `Some ${blocks ? "rows" : "patterns"} are invalid in version 16, and cannot be moved to quarantine. ${obstacle}`,
        ];
  const sentences = [...ofRows, ofReferences, ofLevels].filter((sentence) => sentence !== null);
  if (sentences.length === 0) return { refusal: null, decisions: [] };
  return {
    refusal: sentences.join(" "),
    decisions:
      obstacle === null
        ? [
            ...decisions,
            ...(ofReferences === null ? [] : (["broken-references"] as const)),
            ...(ofLevels === null ? [] : (["missing-level"] as const)),
          ]
        : [],
  };
}

function notesOn(metrics: MetricsTable | null, layout: Layout): string[] {
  if (metrics === null || layout.treatment === "keep") return [];
  const known = new Set(["id", ...Object.values(metrics.names)]);
  const extra = metrics.columns.filter((column) => !known.has(column) && column.toLowerCase() !== "id");
  return extra.length === 0 ? [] : [`kept unchanged: additional columns of the table (${extra.join(", ")})`];
}

function notesOnUsedUpIds(database: Database, metrics: MetricsTable | null): string[] {
  const used = metrics === null ? undefined : usedUpAt(database, metrics.name);
  if (used === undefined) return [];
  return [`version 16 will read these interactions, but it cannot record further ones: ${used.reason}. ${used.wayOut}`];
}

/** A note on the table that an interrupted upgrade left, which stays unchanged, and on the rows that only it has. */
function notesOnInterruptedUpgrade(database: Database, { columns }: Catalog, { tables }: Layout): string[] {
  const old = tables.at(-1);
  const rebuilt = old?.programs?.rebuilt;
  if (old === undefined || rebuilt === undefined || old.table === rebuilt) return [];
  const [left, present] = [columns.get(rebuilt), columns.get(old.table)];
  if (left === undefined || present === undefined) return [];
  const there = new Set(present.map(({ name }) => name.toLowerCase()));
  const shared = left.map(({ name }) => name).filter((name) => there.has(name.toLowerCase()));
  const equal = allOf(shared.map((column) => `a.${sqlName(column)} IS b.${sqlName(column)}`));
  const missing = `main.${sqlName(rebuilt)} AS b WHERE NOT EXISTS (SELECT 1 FROM main.${sqlName(old.table)} AS a WHERE ${shared.length === 0 ? "false" : equal})`;
  const alone = countFrom(database, missing);
  const rows = alone === 1 ? "1 of its rows is" : `${alone} of its rows are`;
  return [
    `the table ${rebuilt}, which an interrupted upgrade left, is kept unchanged; ${alone === 0 ? `${old.table} has all of its rows` : `${rows} not in ${old.table}, and will not be in interactions`}`,
  ];
}
