import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type Conversion, conversionOf } from "../databases/conversion.ts";
import { type MetricsTable, metricsTableOf } from "../databases/metrics_table.ts";
import { sqlName } from "../databases/sql_text.ts";
import type { Settings } from "../options.ts";
import { type Catalog, hasTable, readCatalog } from "../recognise/catalog.ts";
import { KNOWN_TABLES, type Layout } from "../recognise/layout.ts";
import { holdsPatterns } from "../recognise/layouts/patterns.ts";
import { recognise } from "../recognise/recognise.ts";
import type { OddRows } from "../report/report.ts";
import { Stop } from "../stop.ts";
import { blockingCondition } from "./odd_checks.ts";
import { countRows } from "./odd_rows.ts";
import { refusalOnTwin } from "./twin.ts";

/** What was found in one database, and what would turn it into one of version 16. */
export interface Inspection {
  catalog: Catalog;
  layout: Layout;
  /** The table of interactions, where the layout has one with levels. */
  metrics: MetricsTable | null;
  tables: { table: string; rows: number }[];
  odd: OddRows[];
  conversion: Conversion;
  notes: string[];
  /** Why it cannot be migrated as it is, or null. */
  refusal: string | null;
}

/** Looks at a database through an open connection; changes nothing. Also called inside the transaction that changes it. */
export function inspectDatabase(database: Database, settings: Settings): Inspection {
  const catalog = readCatalog(database, KNOWN_TABLES);
  const layout = recognise(catalog);
  const metrics = metricsTableOf(catalog, layout);
  const counted = metrics === null ? null : countRows(database, metrics);
  const odd = counted?.odd ?? [];
  const base = {
    catalog,
    layout,
    metrics,
    tables: countTables(database, catalog, metrics, counted?.rows ?? 0),
    odd,
    notes: notesOn(metrics, layout),
  };
  const nothing: Conversion = { steps: [], dropped: [] };
  if (layout.treatment === "refuse") return { ...base, conversion: nothing, refusal: layout.sentence ?? null };
  if (layout.treatment === "leave") return { ...base, conversion: nothing, refusal: null };
  try {
    const conversion = conversionOf(database, catalog, layout, metrics, blockedRows(database, metrics, odd), settings);
    return {
      ...base,
      conversion,
      refusal: conversion.steps.length === 0 ? null : refusalOf(catalog, conversion, odd, layout, settings),
    };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return { ...base, conversion: nothing, refusal: error.message };
  }
}

/** A row can be odd in two ways, so the kinds do not add up. */
function blockedRows(database: Database, metrics: MetricsTable | null, odd: readonly OddRows[]): number {
  const blocking = odd.filter(({ blocks }) => blocks);
  if (metrics === null || blocking.length <= 1) return blocking[0]?.rows ?? 0;
  return database
    .prepare(`SELECT count(*) FROM main.${sqlName(metrics.name)} WHERE ${blockingCondition(metrics)}`)
    .pluck()
    .get() as number;
}

function refusalOf(
  catalog: Catalog,
  conversion: Conversion,
  odd: readonly OddRows[],
  layout: Layout,
  settings: Settings,
): string | null {
  if (layout.treatment !== "keep" && settings.invalidRows === "abort" && odd.some(({ blocks }) => blocks)) {
    return "Some rows cannot be held by the layout of version 16 (see the odd rows). Correct them, or set them aside with --invalid-rows quarantine.";
  }
  return refusalOnTwin(catalog, conversion.steps) ?? null;
}

function countTables(
  database: Database,
  catalog: Catalog,
  metrics: MetricsTable | null,
  rows: number,
): Inspection["tables"] {
  const patterns = holdsPatterns(catalog) ? ["patterns", "pattern_usage"] : [];
  const others = ["interactions", "metrics", "metrics_new", "interaction_metadata", ...patterns].filter(
    (name) => name !== metrics?.name.toLowerCase() && hasTable(catalog, name),
  );
  const counted = others.map((table) => ({
    table,
    rows: database
      .prepare(`SELECT count(*) FROM main.${sqlName(table)}`)
      .pluck()
      .get() as number,
  }));
  return metrics === null ? counted : [{ table: metrics.name, rows }, ...counted];
}

function notesOn(metrics: MetricsTable | null, layout: Layout): string[] {
  if (metrics === null || layout.treatment === "keep") return [];
  const known = ["id", "user_id", "success", "response_time_ms", "timestamp", metrics.level, metrics.metadata];
  const extra = metrics.columns.filter((column) => !known.includes(column) && !known.includes(column.toLowerCase()));
  return extra.length === 0 ? [] : [`kept as they are: further columns of the table (${extra.join(", ")})`];
}
