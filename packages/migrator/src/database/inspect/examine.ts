import { statSync } from "node:fs";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { faultsOf } from "@perdura/internals/sqlite/faults.js";
import { logWithData } from "@perdura/internals/sqlite/logs.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { HasSettings, Settings } from "../../core/options.ts";
import type { Progress } from "../../core/progress.ts";
import type { DatabaseReport } from "../../core/report.ts";
import { Stop, stopOf } from "../../core/stop.ts";
import type { CheckRequest } from "../../io/child/requests.ts";
import { LARGE, type Workers } from "../../io/child/workers.ts";
import { lastBackup } from "../../io/copy_database.ts";
import { readCatalog } from "../layouts/catalog.ts";
import { holdsPatterns, recognise } from "../layouts/known_layouts.ts";
import { KNOWN_TABLES, metricsTableOf, secondTableOf } from "../layouts/layout.ts";
import { type PatternSurvey, surveyPatterns } from "../patterns/survey_patterns.ts";
import { DamagedRecord } from "../record/migration_record.ts";
import { countRows, type RowCount } from "./odd_rows.ts";

/** What a look at every row of a database told. */
export interface Counts {
  /** By metrics table. */
  metrics: ReadonlyMap<string, RowCount>;
  /** Null where there is no table of patterns. */
  patterns: PatternSurvey | null;
}

/** How the database is opened for the look: the path that is read, which may be that of a private copy. */
interface Examined extends Pick<CheckRequest, "path" | "access"> {
  /** What the operator calls it. */
  shownAs: string;
}

/**
 * Lets SQLite check all pages, and looks at the rows of the metrics tables meanwhile. The connection is in a transaction,
 * so that nobody writes.
 *
 * @throws Stop when the database is damaged.
 */
export async function examine(
  database: Database,
  examined: Examined,
  run: Progress & HasSettings & Workers,
): Promise<Counts> {
  const sound = assertSoundMeanwhile(database, examined, run);
  const counts = countAll(database, examined, run);
  // Where there is damage, it is what has to be said, whatever the rows looked like.
  await Promise.allSettled([sound, counts]);
  await sound;
  return counts;
}

async function countAll(database: Database, { shownAs }: Examined, run: Progress & HasSettings): Promise<Counts> {
  const catalog = readCatalog(database, KNOWN_TABLES);
  const layout = recognise(catalog);
  const step = { path: shownAs, stage: "inspect", detail: "looking at every row" } as const;
  const metrics = new Map<string, RowCount>();
  for (const table of [metricsTableOf(catalog, layout), secondTableOf(catalog, layout)]) {
    if (table !== null) metrics.set(table.name, await run.inPieces(step, countRows(database, table)));
  }
  const patterns = holdsPatterns(catalog)
    ? await run.inPieces({ ...step, detail: "reading every pattern" }, surveyPatterns(database, run.settings))
    : null;
  return { metrics, patterns };
}

/** How many faults are named. */
const FAULTS = 3;

/** @throws Stop for a database with damaged pages. */
export function assertSound(database: Database): void {
  assertNoFaults(faultsIn(database));
}

/** Does what {@link assertSound} does, in another process where there is much to check, so that this one can go on meanwhile. */
export async function assertSoundMeanwhile(
  database: Database,
  place: Pick<CheckRequest, "path" | "access">,
  run: HasSettings & Workers,
): Promise<void> {
  if (statSync(place.path).size < LARGE) return assertSound(database);
  const request: CheckRequest = { ...place, busyTimeoutMs: run.settings.busyTimeoutMs, faults: FAULTS };
  const faults = run.checks.ask(request) as Promise<string[]>;
  // It is not needed any more while this database is changed.
  const found = await faults.finally(() => run.checks.rest()).catch(orHere(() => faultsIn(database)));
  assertNoFaults(found);
}

/** Whatever kept the other process from it, this one can do it too; unless nobody wants it any more. */
const orHere =
  (check: () => string[]) =>
  (error: unknown): string[] => {
    if (error instanceof Stop) throw error;
    return check();
  };

function faultsIn(database: Database): string[] {
  try {
    return faultsOf(database, FAULTS);
  } catch (error) {
    throw withCollation(error, database);
  }
}

const UNKNOWN_COLLATION = /^no such collation sequence: (.*)$/;

/** An application may give texts an order that SQLite alone does not know; then nobody else can look through its indexes. */
function withCollation(error: unknown, database: Database): unknown {
  // oxlint-disable-next-line messages/no-decisions -- the words of SQLite, whose code is that of any error in SQL
  const name = UNKNOWN_COLLATION.exec((error as Error).message)?.[1];
  if (name === undefined) return error;
  const users = database
    .prepare("SELECT type || ' ' || name FROM main.sqlite_schema WHERE sql LIKE '%collate%' || ? || '%'")
    .pluck()
    .all(name);
  return new Stop(
    "refused",
    `The collation ${name} of the ${users.join(" and the ") || "schema"} is defined by an application, and SQLite cannot look through the file without it. Drop what uses it, migrate, and make it again.`,
    error,
  );
}

function assertNoFaults(faults: readonly string[]): void {
  if (faults.length > 0)
    throw new DamagedDatabase(`The database is damaged (${faults.join("; ")}). Repair it first, or restore a copy.`);
}

/** Ends the work on a database whose pages are damaged. */
class DamagedDatabase extends Stop {
  constructor(sentence: string) {
    super("refused", sentence);
  }
}

/** True for an error that says that a database is damaged, or cannot be read as one. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedDatabase || isPerduraError(error, "PERDURA_CORRUPT_DATA")) return true;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^SQLITE_(?:CORRUPT|NOTADB)/.test(code);
}

/** Why a database was not looked at, in sentences: of a damaged one with its log and its backup, where there are any. */
export function reasonOf(error: unknown, stop: Stop, path: string, { backupDir }: Settings): string {
  if (!isDamage(error)) return stop.message;
  const [log, backup] = [logWithData(path), lastBackup(path, backupDir)];
  return [
    stop.message,
    ...(log === undefined
      ? []
      : [`SQLite read it with the log ${log}: if the database was put here without it, move that log away.`]),
    ...(backup === undefined ? [] : [`Its backup is ${backup}.`]),
  ].join(" ");
}

/**
 * Puts into a report why a database could not be planned. Somebody has to look at what cannot even be read, so that
 * counts as refused; a record that is damaged is a failure of the way back.
 *
 * @throws Stop when the run was interrupted, for that concerns the whole of it.
 */
export function noteUnplanned(report: DatabaseReport, error: unknown, run: HasSettings): void {
  const stop = stopOf(error, report.path);
  if (stop.status === "interrupted") throw stop;
  report.status = stop.status === "failed" && !(stop instanceof DamagedRecord) ? "refused" : stop.status;
  report.reason = reasonOf(error, stop, report.path, run.settings);
}
