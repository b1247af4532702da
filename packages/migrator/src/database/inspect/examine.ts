import { statSync } from "node:fs";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import { unreadableIndexes } from "@perdura/internals/sqlite/collations.js";
import { faultsOf } from "@perdura/internals/sqlite/faults.js";
import { logWithData } from "@perdura/internals/sqlite/logs.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { HasSettings, Settings } from "../../core/options.ts";
import type { Progress } from "../../core/progress.ts";
import type { DatabaseReport } from "../../core/report.ts";
import { Stop, stopOfFound } from "../../core/stop.ts";
import type { CheckRequest } from "../../io/child/requests.ts";
import { LARGE, type Workers } from "../../io/child/workers.ts";
import { lastBackup } from "../../io/copy_database.ts";
import { hasPatterns, type Recognised } from "../layouts/known_layouts.ts";
import { metricsTableOf, secondTableOf } from "../layouts/layout.ts";
import { removeCollations } from "../layouts/remove_collations.ts";
import { knownTables } from "../layouts/table_layouts.ts";
import { type PatternSurvey, surveyPatterns } from "../patterns/survey_patterns.ts";
import { DamagedRecord } from "../record/migration_record.ts";
import { countRows, type RowCount } from "./count_rows.ts";

/** Results of an examination of every row of a database. */
export interface Counts extends Recognised {
  /** Keyed by metrics table. */
  metrics: ReadonlyMap<string, RowCount>;
  /** Null without a table of patterns. */
  patterns: PatternSurvey | null;
}

/** Access to the database: the path that is read, which may be that of a private copy. */
interface Examined extends Pick<CheckRequest, "path" | "intent"> {
  /** The path that the operator knows. */
  shownAs: string;
}

/**
 * Runs SQLite's check of all pages, and examines the rows of the metrics tables in parallel. The connection is in a
 * transaction, so that no other process can write.
 *
 * @throws Stop if the database is damaged.
 */
export async function examine(
  database: Database,
  recognised: Recognised,
  examined: Examined,
  run: Progress & HasSettings & Workers,
): Promise<Counts> {
  const sound = assertUndamagedInBackground(database, examined, run);
  const counts = countAll(database, recognised, examined, run);
  // Damage takes precedence over any findings about the rows.
  await Promise.allSettled([sound, counts]);
  await sound;
  return counts;
}

async function countAll(
  database: Database,
  { catalog, layout }: Recognised,
  { shownAs }: Examined,
  run: Progress & HasSettings,
): Promise<Counts> {
  const step = { path: shownAs, stage: "inspect", detail: "checking every row" } as const;
  const metrics = new Map<string, RowCount>();
  for (const table of [metricsTableOf(catalog, layout), secondTableOf(catalog, layout)]) {
    if (table !== null) metrics.set(table.name, await run.inPieces(step, countRows(database, table)));
  }
  const patterns = hasPatterns(catalog)
    ? await run.inPieces({ ...step, detail: "reading every pattern" }, surveyPatterns(database, run.settings))
    : null;
  return { catalog, layout, metrics, patterns };
}

/** Maximum number of faults that are named. */
const FAULTS = 3;

/** @throws Stop for a database with damaged pages. */
export function assertUndamaged(database: Database): void {
  assertCollationsKnown(database);
  assertNoFaults(faultsOf(database, FAULTS));
}

/** Does the same as {@link assertUndamaged}; for a large database in another process, so that this one can continue. */
export async function assertUndamagedInBackground(
  database: Database,
  place: Pick<CheckRequest, "path" | "intent">,
  run: HasSettings & Workers,
): Promise<void> {
  if (statSync(place.path).size < LARGE) return assertUndamaged(database);
  assertCollationsKnown(database);
  const request: CheckRequest = { ...place, busyTimeoutMs: run.settings.busyTimeoutMs, faults: FAULTS };
  const faults = run.checks.ask(request) as Promise<string[]>;
  // The helper is not needed while this database is changed.
  const found = await faults
    .finally(() => run.checks.releaseChild())
    .catch(orInThisProcess(() => faultsOf(database, FAULTS)));
  assertNoFaults(found);
}

/** If the helper process fails for any reason but an interruption, this process checks itself. */
const orInThisProcess =
  (check: () => string[]) =>
  (error: unknown): string[] => {
    if (error instanceof Stop) throw error;
    return check();
  };

/**
 * An application may define a collation that SQLite does not have here: then only that application can check and change
 * indexes with it. Such an index does not matter in tables that the migration does not need.
 *
 * @throws Stop that names such an index of one of our tables.
 */
function assertCollationsKnown(database: Database): void {
  for (const table of knownTables()) {
    const [found] = hasTable(database, table) ? unreadableIndexes(database, table) : [];
    if (found !== undefined)
      throw new Stop(
        "refused",
        `Cannot check the table ${table}: the collation ${found.collation} of its index ${found.index} is defined by an application, and SQLite does not have it here. Nothing was changed. ${removeCollations(database) ?? ""}`,
      );
  }
}

function assertNoFaults(faults: readonly string[]): void {
  if (faults.length > 0)
    throw new DamagedDatabase(`The database is damaged (${faults.join("; ")}). Repair it first, or restore a backup.`);
}

/** Ends the work on a database with damaged pages. */
class DamagedDatabase extends Stop {
  constructor(sentence: string) {
    super("refused", sentence);
  }
}

/** True for an error that means that a database is damaged, or is not a database. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedDatabase || isPerduraError(error, "PERDURA_CORRUPT_DATA")) return true;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^SQLITE_(?:CORRUPT|NOTADB)/.test(code);
}

/** The reason why a database was not inspected; for a damaged one also its log and its backup, if they exist. */
export function reasonOf(error: unknown, stop: Stop, path: string, { backupDir }: Settings): string {
  if (!isDamage(error)) return stop.message;
  const [log, backup] = [logWithData(path), lastBackup(path, backupDir)];
  return [
    stop.message,
    ...(log === undefined
      ? []
      : [
          `SQLite read it with the log ${log}. If this log does not belong to the database, move it to another directory.`,
        ]),
    ...(backup === undefined ? [] : [`Its backup is ${backup}.`]),
  ].join(" ");
}

/**
 * Puts the reason into a report why a database could not be planned. An unreadable database needs an operator, so it
 * counts as refused; a damaged record means that the downgrade failed.
 *
 * @throws Stop if the run was interrupted, because that concerns the whole run.
 */
export function reportUnplanned(report: DatabaseReport, error: unknown, run: HasSettings): void {
  const stop = stopOfFound(error, report.path);
  if (stop.status === "interrupted") throw stop;
  report.status = stop.status === "failed" && !(stop instanceof DamagedRecord) ? "refused" : stop.status;
  report.reason = reasonOf(error, stop, report.path, run.settings);
}
