import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "../databases/sql_text.ts";
import { forecastOnTwin } from "../inspect/twin.ts";
import { type Catalog, readCatalog } from "../recognise/catalog.ts";
import { KNOWN_TABLES, type Layout } from "../recognise/layout.ts";
import { recognise } from "../recognise/recognise.ts";
import { DamagedRecord } from "../record/damaged_record.ts";
import { type MigrationRecord, readRecords } from "../record/migration_record.ts";
import type { DatabaseReport } from "../core/report.ts";
import { Stop } from "../core/stop.ts";
import { type Reversion, reversionOf } from "./reversion.ts";

/** What `down` finds in a database. */
export interface ReversionInspection {
  layout: Layout;
  records: MigrationRecord[];
  tables: { table: string; rows: number }[];
  /** Undefined where there is nothing to undo, or nothing can be undone. */
  reversion: Reversion | undefined;
  notes: string[];
  /** Why it cannot be undone, or null. */
  refusal: string | null;
}

/** Looks at a database through an open connection; changes nothing. Also called inside the transaction that changes it. */
export function inspectReversion(database: Database): ReversionInspection {
  const catalog = readCatalog(database, KNOWN_TABLES);
  const found = { layout: recognise(catalog), records: readRecords(database), tables: countTables(database, catalog) };
  try {
    const reversion = reversionOf(database, catalog);
    const { refusal, notes } = forecastOnTwin(catalog, reversion?.steps ?? []);
    return { ...found, reversion, notes: [...(reversion?.notes ?? []), ...notes], refusal };
  } catch (error) {
    if (!(error instanceof Stop) || error instanceof DamagedRecord) throw error;
    return { ...found, reversion: undefined, notes: [], refusal: error.message };
  }
}

function countTables(database: Database, catalog: Catalog): ReversionInspection["tables"] {
  const tables = ["interactions", "interaction_metadata", "metrics", "patterns", "perdura_quarantine"];
  return tables
    .filter((table) => catalog.columns.has(table))
    .map((table) => ({
      table,
      rows: database
        .prepare(`SELECT count(*) FROM main.${sqlName(table)}`)
        .pluck()
        .get() as number,
    }));
}

/** Puts what was found into a report. */
export function fillReversion(report: DatabaseReport, inspection: ReversionInspection): void {
  const { layout, records, reversion } = inspection;
  report.layout = layout.name;
  report.layout_title = layout.title;
  report.tables = inspection.tables;
  report.history = records.map(({ former: _former, result: _result, ...past }) => past);
  report.steps = reversion === undefined ? [] : [...reversion.steps, reversion.finish].map(({ title }) => title);
  report.notes = inspection.notes;
}
