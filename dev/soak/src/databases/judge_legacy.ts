import { copyFileSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { migrate, migrationStatus, planMigration, downgradeMigration, verifyMigration } from "@perdura/migrator";
import type { DatabaseReport } from "@perdura/migrator";
import { query } from "../../../../test/legacy/legacy_database.ts";
import type { Judgement } from "./judge_patterns.ts";
import { type Rows, rowsEqual, rowsOf } from "./legacy_rows.ts";
import { reasonsOf, reportOf } from "./migration_reports.ts";
import { changesBetween, isWithoutContent, stampsOf } from "./stamp.ts";

const OPTIONS = { invalidRows: "quarantine", missingLevel: 3, saveReport: false } as const;

/** Plans, migrates, verifies and reverts a database. */
export async function judgeLegacy(path: string, scratch: string): Promise<Judgement> {
  const folder = dirname(path);
  const before = stampsOf(folder);
  const wrong: string[] = [];
  for (const [what, look] of [
    ["plan", planMigration],
    ["status", migrationStatus],
  ] as const) {
    await reportOf(what, path, wrong, () => look(folder));
    wrong.push(...changesBetween(before, stampsOf(folder)).map((change) => `${what}: ${change}`));
  }
  // SQLite may finish the work of a killed writer; so it reads a copy.
  const rows = rowsOf(copyOf(path, join(scratch, "plain.db")));
  const original = isFile(before, path) ? readFileSync(path) : undefined;
  const report = await reportOf("up", path, wrong, () => migrate(folder, OPTIONS));
  const found = report?.databases.find((each) => each.path === path);
  if (found?.status !== "migrated") {
    const isBackup = (name: string): boolean => name.startsWith(`${basename(path)}.v15.bak`);
    wrong.push(
      ...changesBetween(before, stampsOf(folder), isBackup).map((change) => `up did not migrate, but ${change}`),
    );
    // Nothing is started if another file, such as a log that is itself a database, has to be repaired first.
    const reasoned = found?.status === "not_started" ? report?.databases : [found];
    if (
      found !== undefined &&
      found.status !== "nothing_to_do" &&
      !reasoned?.some((one) => (one?.reason ?? "").length >= 10)
    )
      wrong.push(`up: ${found.status} without a reason`);
    const others = [...(report?.refused ?? []), ...(report?.left_alone ?? [])];
    if (
      report !== undefined &&
      found === undefined &&
      isFile(before, path) &&
      !others.some((other) => other.path === path)
    )
      wrong.push("up does not name the file");
    return { answered: found?.status === "nothing_to_do", wrong };
  }
  wrong.push(...judgeMigrated(path, original, rows, found));
  const verified = await reportOf("verify", path, wrong, () => verifyMigration(folder));
  if (verified?.exit_code !== 0) wrong.push(`up succeeded, but verify failed: ${reasonsOf(verified)}`);
  await judgeWayBack(path, rows, wrong);
  return { answered: true, wrong };
}

async function judgeWayBack(path: string, rows: Rows | undefined, wrong: string[]): Promise<void> {
  const folder = dirname(path);
  const before = stampsOf(folder);
  const report = await reportOf("down", path, wrong, () => downgradeMigration(folder, { saveReport: false }));
  if (report?.exit_code !== 0) {
    wrong.push(
      ...changesBetween(before, stampsOf(folder), isWithoutContent(before)).map(
        (change) => `down refused, but ${change}`,
      ),
    );
    return;
  }
  const after = rowsOf(path);
  if (rows !== undefined && JSON.stringify(after) !== JSON.stringify(rows))
    wrong.push("down did not restore the original rows");
}

function judgeMigrated(
  path: string,
  original: Buffer | undefined,
  rows: Rows | undefined,
  report: DatabaseReport,
): string[] {
  const wrong = faultsOfPages(path);
  if (rows !== undefined) {
    const now = new Set(Object.values(rowsOf(path) ?? {}).flat());
    const gone = Object.values(rows)
      .flat()
      .filter((row) => !now.has(row));
    if (gone.length > 0) wrong.push(`${gone.length} rows that SQLite can read are missing, such as ${gone[0]}`);
  }
  const backup = report.backup?.path;
  const isSame = backup !== undefined && original !== undefined && readFileSync(backup).equals(original);
  // With a log or a hot journal, the backup holds the content of the two together.
  if (!isSame && rowsEqual(backup, rows) === false) wrong.push("the backup differs from the original");
  return wrong;
}

/** A migrated database is sound: what was damaged is refused. */
function faultsOfPages(path: string): string[] {
  // With a damaged name of its table, a database has only patterns.
  if (query(path, "SELECT 1 FROM sqlite_schema WHERE name = 'interactions'").length === 0) return [];
  const found = query<[string]>(path, "PRAGMA quick_check(interactions)").flat();
  return found.join() === "ok" ? [] : [`up succeeded, but SQLite finds ${found.join("; ").slice(0, 300)}`];
}

function copyOf(path: string, to: string): string {
  try {
    for (const side of ["", "-wal", "-journal"])
      if (statSync(path + side, { throwIfNoEntry: false })?.isFile() === true) copyFileSync(path + side, to + side);
  } catch {
    // Then SQLite has nothing to read.
  }
  return to;
}

const isFile = (stamps: ReadonlyMap<string, string>, path: string): boolean =>
  stamps.get(basename(path))?.startsWith("100") === true;
