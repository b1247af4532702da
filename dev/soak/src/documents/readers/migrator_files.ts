import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inEarlierReports } from "../../../../../packages/migrator/src/find/earlier_reports.ts";
import {
  databaseReport,
  stateDirectoryReport,
  type MigrationReport,
} from "../../../../../packages/migrator/src/core/report.ts";
import { readingOf } from "../../../../../packages/migrator/src/archive/states/count_states.ts";
import { headOf, isPatternLibrary, topLevelValues } from "../../../../../packages/migrator/src/io/json_head.ts";
import { isReport } from "../../../../../packages/migrator/src/io/own_files.ts";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { bytesOf } from "../../../../../test/hostile/hostile_bytes.ts";
import { hostileText } from "../../../../../test/hostile/hostile_text.ts";
import { nearly } from "../../../../../test/hostile/hostile_values.ts";
import { faultsOfText } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";
import { hostileDocument, LIBRARY, STATE } from "../../../../../test/hostile/documents.ts";
import { plainly } from "./strict_text.ts";

/** Documents other than databases that perdura-migrate reads. */
export const earlierReports = ({ directory }: Bench): Try => ({
  document: (chance) => judgeEarlier(reportOf(chance), directory),
});
export const statesToArchive = (): Try => ({ document: tryState });
export const headsOfFiles = ({ directory }: Bench): Try => ({
  document: (chance) => tryHead(chance, join(directory, "some.json")),
});

function reportOf(chance: Chance): Buffer {
  const database = {
    ...databaseReport("/data/metrics.db", 4096),
    status: "migrated",
    backup: { path: "/data/metrics.db.v15.bak", bytes: 1, sha256: "00", reused: false, kept: true },
  };
  const states = {
    ...stateDirectoryReport("/data/state"),
    status: "archived",
    archive: { path: "/data/state.v15.sqlar", bytes: 1, sha256: null },
  };
  const report: Partial<MigrationReport> = {
    format: "perdura-migration-report",
    format_version: 1,
    command: "up",
    finished_at: "2026-01-01T00:00:00.000Z",
    databases: [database as MigrationReport["databases"][0]],
    state_directories: [states as MigrationReport["state_directories"][0]],
  };
  return bytesOf(nearly(report, chance, chance.pick([0, 1, 1, 2, 3])), chance);
}

/** A damaged report must give no paths or a list of paths; it must never end a run. */
function judgeEarlier(bytes: Buffer, directory: string): string[] {
  const home = join(directory, "home");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home);
  writeFileSync(join(home, "perdura-migration-report.json"), bytes);
  const discovery = {
    targets: [],
    namedBackups: new Map(),
    databases: [],
    libraries: [],
    stateDirectories: [],
    leftAlone: [],
    refused: [],
    unreadable: new Map(),
    own: [],
    leftovers: [],
    home,
  };
  const { backups, archives } = inEarlierReports(discovery, () => true);
  const reported = [...backups, ...[...archives].flatMap(([path, all]) => [[path, ...all]])].flat();
  return reported.every((path) => typeof path === "string")
    ? []
    : [`values that are not paths: ${JSON.stringify(reported).slice(0, 300)}`];
}

function tryState(chance: Chance): string[] {
  const bytes = hostileDocument(chance.made(STATE), chance);
  return judgeArchived(bytes, chance.percent(20) ? hostileText(chance) : "alice");
}

/** A state as the archive shows it: fields without a column are in `extra`, verbatim. */
function judgeArchived(bytes: Buffer, user: string): string[] {
  const name = Buffer.from(`${user}.json`).toString("latin1");
  const { status, reason, extra, columns } = readingOf(
    "/states",
    { name: name as never, kind: "file" },
    bytes,
    () => undefined,
  );
  const faults = reason === null ? [] : faultsOfText(reason, "the reason");
  if ((reason?.length ?? 0) > 3000) faults.push(`a reason of ${reason?.length} characters`);
  const { isJson, value } = plainly(bytes);
  const isObject = isJson && typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject !== (status === "ok") && !/NaN|Infinity/.test(bytes.toString("latin1")))
    faults.push(`${status}: ${reason}, but is ${isObject ? "a" : "not a"} JSON object`);
  if (status === "ok" && isObject && extra !== null && !/NaN|Infinity/.test(extra)) {
    const kept = Object.keys(JSON.parse(extra) as object);
    const lost = Object.keys(value).filter(
      (key) => !kept.includes(key) && key !== "user_id" && !isColumn(key, columns),
    );
    if (lost.length > 0 && !/\\/.test(bytes.toString("latin1")))
      faults.push(`neither in a column nor in extra: ${JSON.stringify(lost).slice(0, 300)}`);
  }
  return faults;
}

function isColumn(key: string, columns: object): boolean {
  return (
    Object.hasOwn(columns, key) ||
    /^(?:total_interactions|successful_interventions|failed_interventions|saved_at|session_start)$/.test(key)
  );
}

function tryHead(chance: Chance, path: string): string[] {
  const bytes = hostileDocument(chance.made(LIBRARY), chance);
  writeFileSync(path, bytes);
  const keys = topLevelValues(headOf(path));
  const { isJson, value } = plainly(readFileSync(path));
  if (isReport(path)) return ["mistaken for a report of a migration"];
  if (!isJson || typeof value !== "object" || value === null || Array.isArray(value) || bytes.length > 60_000)
    return [];
  const wanted = Object.hasOwn(value, "patterns") || Object.hasOwn(value, "agent_contributions");
  return isPatternLibrary(keys) === wanted
    ? []
    : [`${wanted ? "a library, but not recognised" : "not a library, but recognised as one"}`];
}
