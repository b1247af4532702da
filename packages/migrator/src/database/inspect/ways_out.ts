import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Settings } from "../../core/options.ts";
import { atOnce } from "../../core/progress.ts";
import type { Decision } from "../../core/report.ts";
import { Stop } from "../../core/stop.ts";
import { conversionOf } from "../migrate/conversion.ts";
import type { Found } from "../migrate/findings.ts";
import type { Catalog } from "../sql/catalog.ts";
import { surveyPatterns } from "../patterns/survey_patterns.ts";
import { DamagedRecord } from "../record/migration_record.ts";
import { forecastOnReplica } from "../forecast/schema_replica.ts";

/** Decisions about rows that version 16 cannot hold. */
interface WaysOut {
  decisions: Decision[];
  /** The reason why quarantine would be refused, if it was tried and no other decision helps; otherwise null. */
  obstacle: string | null;
}

/**
 * Plans with each decision about invalid rows, so that no decision is recommended with which `up` would stop again.
 *
 * @param found Findings with the settings of this run.
 */
export function waysOut(database: Database, catalog: Catalog, found: Found, settings: Settings): WaysOut {
  const repair = found.patterns?.choices.find(
    ({ non_finite: tokens, timestamps, pattern_ids: ids }) => tokens !== null || timestamps !== null || ids !== null,
  );
  const ofQuarantine = obstacleWith(database, catalog, found, { ...settings, invalidRows: "quarantine" });
  const decisions: Decision[] = ofQuarantine === null ? ["quarantine"] : [];
  if (repair !== undefined) {
    const { non_finite: nonFinite, timestamps, pattern_ids: patternIds } = repair;
    const repairs = { nonFinite, timestamps, patternIds };
    // Patterns that are repaired do not leave the table.
    const repaired: Found =
      ofQuarantine === null ? found : { ...found, patterns: atOnce(surveyPatterns(database, repairs)) };
    const chosen = { ...settings, ...repairs, invalidRows: "quarantine" } as const;
    if (ofQuarantine === null || obstacleWith(database, catalog, repaired, chosen) === null) decisions.push("repair");
  }
  return { decisions, obstacle: decisions.length === 0 ? ofQuarantine : null };
}

/** The reason why `up` would stop with these settings; null if it would not. */
function obstacleWith(database: Database, catalog: Catalog, found: Found, settings: Settings): string | null {
  try {
    const { steps } = conversionOf(database, catalog, found, settings);
    return forecastOnReplica(catalog, steps, database, found.levels?.source.file).refusal;
  } catch (error) {
    if (!(error instanceof Stop) || error instanceof DamagedRecord) throw error;
    return error.message;
  }
}
