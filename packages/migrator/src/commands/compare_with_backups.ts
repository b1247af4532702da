import { basename } from "node:path";
import { statSync } from "node:fs";
import { compareContents } from "@perdura/summary/compare_contents.js";
import { addDatabase, addLibrary, addStates, type Contents, noContents } from "@perdura/summary/contents.js";
import type { Comparison, Summary } from "@perdura/summary/document.js";
import type { ListLimits } from "@perdura/summary/summarize_metrics.js";
import { summarizeDatabase, summarizeLibrary } from "@perdura/summary/summarize_sources.js";
import { summarizeStates } from "@perdura/summary/summarize_states.js";
import type { CommonOptions } from "../core/options.ts";
import type { MigrationReport } from "../core/report.ts";
import { stopOf } from "../core/stop.ts";
import { VERSION } from "../core/version.ts";
import { LIBRARY_LAYOUT } from "../library/library_report.ts";
import { lastBackup } from "../io/copy_database.ts";
import { isBackupOf16 } from "../io/own_files.ts";
import { readDatabase, statesIn, statesOfArchive } from "./read_data.ts";
import { Session } from "./session.ts";
import { settingsFrom } from "./settings.ts";

/** Lengths of the lists on the page. */
const LIMITS: ListLimits = { rows: 1000, trajectories: 50 };

/** One side of the comparison. */
interface Side {
  contents: Contents;
  summary: Summary;
  /** Ids of all patterns. */
  patternIds: Set<string>;
}

/**
 * Compares what was in the backups with what is in the migrated data, for a page that explains a verification. Data
 * without a backup, and directories without an archive, are not part of it. Cannot write.
 */
export async function compareWithBackups(report: MigrationReport, options: CommonOptions): Promise<Comparison> {
  const run = new Session(settingsFrom(options));
  try {
    return await compareAll(report, run);
  } finally {
    run[Symbol.dispose]();
  }
}

async function compareAll(report: MigrationReport, run: Session): Promise<Comparison> {
  const [before, after] = [newSide(report), newSide(report)] as const;
  for (const { path, layout, backup: compared } of report.databases) {
    const isOriginal = compared !== null && !isBackupOf16(compared.path);
    const backup = isOriginal ? compared.path : lastBackup(path, run.settings.backupDir);
    if (backup === undefined) continue;
    const isLibrary = layout === LIBRARY_LAYOUT;
    for (const [side, place, backups] of [
      [before, backup, []],
      [after, path, [backup]],
    ] as const)
      await adding(side, place, () =>
        isLibrary ? readLibrary(side, path, place, backups) : readOne(side, path, place, run),
      );
  }
  for (const { path, archive } of report.state_directories) {
    const isThere = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (archive === null || !isThere) continue;
    await adding(before, path, () => {
      addStates(before.contents, path, statesIn(path));
      const summary = summarizeStates(path, statesIn(path), LIMITS.rows, ({ path: file, reason }) => {
        const unreadable = { path: file, reason: reason ?? "" };
        before.contents.unreadable.push(unreadable);
        before.summary.unreadable.push(unreadable);
      });
      before.summary.state_directories.push(summary);
    });
    await adding(after, archive.path, () => {
      addStates(after.contents, path, statesOfArchive(archive.path));
      after.summary.archives.push(summarizeStates(archive.path, statesOfArchive(archive.path), LIMITS.rows));
    });
  }
  for (const { summary, patternIds } of [before, after]) summary.different_patterns = patternIds.size;
  return {
    format: "perdura-comparison-1",
    made_at: new Date().toISOString(),
    program: PROGRAM,
    before: before.summary,
    after: after.summary,
    ...(await compareContents(before.contents, after.contents)),
  };
}

/** Reads an item of one side, or adds the reason why it cannot be read: the page then says that it is incomplete. */
async function adding({ contents, summary }: Side, path: string, read: () => Promise<void> | void): Promise<void> {
  try {
    await read();
  } catch (error) {
    const { status, message } = stopOf(error, path);
    if (status === "interrupted") throw error;
    contents.unreadable.push({ path, reason: message });
    summary.unreadable.push({ path, reason: message });
  }
}

async function readOne(
  { contents, summary, patternIds }: Side,
  name: string,
  path: string,
  run: Session,
): Promise<void> {
  await readDatabase(path, run, async (source) => {
    await addDatabase(contents, name, source, (use) => readDatabase(path, run, use));
    summary.databases.push(await summarizeDatabase(source, statSync(path).size, LIMITS, patternIds));
  });
}

async function readLibrary(
  { contents, summary, patternIds }: Side,
  name: string,
  path: string,
  backups: readonly string[],
): Promise<void> {
  await addLibrary(contents, name, path, backups);
  summary.libraries.push(summarizeLibrary(path, LIMITS.rows, patternIds));
}

const PROGRAM = `perdura-migrate ${VERSION}`;

function newSide({ targets }: MigrationReport): Side {
  return {
    contents: noContents(),
    patternIds: new Set(),
    summary: {
      format: "perdura-summary-1",
      made_at: new Date().toISOString(),
      program: PROGRAM,
      targets: targets.map((target) => basename(target)),
      range: null,
      databases: [],
      libraries: [],
      state_directories: [],
      archives: [],
      different_patterns: 0,
      backups: [],
      left_alone: [],
      unreadable: [],
    },
  };
}
