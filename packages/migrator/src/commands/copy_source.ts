import { rmSync } from "node:fs";
import { makePrivateDirectory } from "@perdura/internals/files/private_directory.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import type { Reader } from "../copy/side.ts";
import { SqliteReader, combinedReader } from "../copy/sqlite/sqlite_reader.ts";
import type { FoundDatabase } from "../core/discovery.ts";
import { type HasSettings, withSettings } from "../core/options.ts";
import type { Progress } from "../core/progress.ts";
import { Stop, type StopStatus } from "../core/stop.ts";
import { rehearseDatabase } from "../database/migrate_database.ts";
import { type DatabaseRun, planDatabase } from "../database/inspect/plan_database.ts";
import { countRows } from "../database/inspect/count_rows.ts";
import { metricsTableOf } from "../database/layouts/layout.ts";
import { hasPatterns, recogniseDatabase } from "../database/layouts/known_layouts.ts";
import { isReadable, surveyPatterns } from "../database/patterns/survey_patterns.ts";
import { discover } from "../find/discover.ts";
import { userLevelsOf } from "../find/state_directory.ts";
import { whileReading } from "../io/readable_database.ts";

/** Layouts that need no migration. */
const OF_16: readonly string[] = ["documented-16", "patterns"];

/**
 * Reads the databases of a source in one snapshot each. Those in a pre-16 layout are migrated on a private copy, which
 * is removed afterwards.
 *
 * @param source Name of the source in messages.
 */
export async function withSqliteSource(
  source: string,
  files: readonly string[],
  run: DatabaseRun,
  use: (reader: Reader, migrated: readonly string[]) => Promise<void>,
): Promise<void> {
  const discovery = await discover(files, run);
  run.askLevels = userLevelsOf(discovery, run.settings.backupDir);
  const [trouble] = [...discovery.refused, ...discovery.leftAlone];
  if (trouble !== undefined) throw new Stop("refused", `${trouble.path}: ${trouble.reason}`);
  const migrated: string[] = [];
  const open = async (left: readonly FoundDatabase[], readers: readonly SqliteReader[]): Promise<void> => {
    const [found, ...rest] = left;
    if (found === undefined) return use(await combinedReader(readers, source), migrated);
    const goOn = (reader: SqliteReader): Promise<void> => open(rest, [...readers, reader]);
    const done = await whileReading(found, run, async (database) => {
      if (!(await isReadAsItIs(database, found, run))) return false;
      await goOn(new SqliteReader(database, found.path));
      return true;
    });
    if (done) return;
    migrated.push(found.path);
    await withMigrated(found, run, goOn);
  };
  await open(discovery.databases, []);
}

/** True for a 16 layout, unless a decision was made that concerns some of its rows or patterns. */
async function isReadAsItIs(
  database: Database,
  { path }: FoundDatabase,
  run: Progress & HasSettings,
): Promise<boolean> {
  const { catalog, layout } = recogniseDatabase(database);
  if (!OF_16.includes(layout.name)) return false;
  const { nonFinite, timestamps, patternIds, invalidRows } = run.settings;
  const decided = nonFinite !== null || timestamps !== null || patternIds !== null || invalidRows === "quarantine";
  if (!decided) return true;
  const table = invalidRows === "quarantine" ? metricsTableOf(catalog, layout) : null;
  const rows = { path, stage: "inspect", detail: "checking every row" } as const;
  if (table !== null && (await run.inPieces(rows, countRows(database, table))).blocked > 0) return false;
  if (!hasPatterns(catalog)) return true;
  const step = { path, stage: "inspect", detail: "reading every pattern" } as const;
  return isReadable(await run.inPieces(step, surveyPatterns(database, run.settings)));
}

/** The private copy is in a temporary directory: a killed process leaves nothing next to the source. */
async function withMigrated(
  found: FoundDatabase,
  run: DatabaseRun,
  use: (reader: SqliteReader) => Promise<void>,
): Promise<void> {
  const directory = makePrivateDirectory();
  try {
    await withMigratedIn(found, withSettings(run, { backupDir: directory, rehearse: true }), use);
  } finally {
    run.discard(directory, () => rmSync(directory, { recursive: true, force: true }));
  }
}

/** @param run A run whose backups go to the directory of the private copy. */
async function withMigratedIn(
  found: FoundDatabase,
  run: DatabaseRun,
  use: (reader: SqliteReader) => Promise<void>,
): Promise<void> {
  const report = await planDatabase(found, run);
  let failure: unknown;
  let used = false;
  if (report.status === "planned") {
    report.status = "not_started";
    await rehearseDatabase(found, report, run, async (path) => {
      const database = openDatabase(path, { intent: "read" });
      try {
        database.exec("BEGIN");
        await use(new SqliteReader(database, found.path));
        used = true;
      } catch (error) {
        failure = error;
      } finally {
        database.close();
      }
    });
    if (failure !== undefined) throw failure as Error;
    if (used) return;
  }
  const { status: ended } = report;
  const status: StopStatus = ended === "in_use" || ended === "failed" || ended === "interrupted" ? ended : "refused";
  throw new Stop(
    status,
    `${found.path}: ${report.reason ?? `no data to copy: ${report.layout_title ?? "not a database of perdura"}`}`,
  );
}
