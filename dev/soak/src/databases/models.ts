import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { rollupStatistics } from "@perdura/internals/metrics/rollup/rollup_statistics.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { MetricsCollector as Collector15 } from "@perdura/v15";
import { MetricsCollector as Collector16, PatternLibrary, PatternPersistence } from "@perdura/v16";
import { fixture } from "../../../../fixtures/paths.ts";
import { migrate } from "../../../../packages/migrator/src/index.ts";
import { furtherLayouts } from "../../../../test/legacy/legacy_fixtures.ts";
import { makeUnusualStates } from "../../../../test/legacy/unusual_states.ts";

/** Kind of file that is damaged. */
export type Family = "patterns" | "metrics of 15" | "metrics of 16" | "legacy" | "archives";

/** Field layouts and pre-16 layouts, some with a log or a journal. */
const CHOSEN = [
  "documented-15-one",
  "documented-15-invalid",
  "documented-15-user-objects",
  "documented-15-foreign-keys",
  "documented-15-wal",
  "documented-15-hot-journal",
  "documented-15-utf16",
  "documented-15-auto-vacuum",
  "field-a",
  "field-a-invalid",
  "field-a-pages-512",
  "field-a-wal",
  "field-a-hot-journal",
  "field-a-own-columns",
  "field-b",
  "field-c",
  "field-d",
  "combined-a",
  "combined-b",
  "half-upgraded",
  "both-a-15",
  "both-older-metrics",
];

const SIDES = ["", "-wal", "-journal"];

/** Copies a database with its log and its journal. */
export function copyModel(from: string, to: string): void {
  for (const side of SIDES) if (existsSync(from + side)) copyFileSync(from + side, to + side);
}

/** Makes sound databases of some kinds, which are copied and damaged; returns their paths. */
export async function makeModels(
  place: string,
  families: ReadonlySet<Family>,
): Promise<Readonly<Record<Family, readonly string[]>>> {
  mkdirSync(place, { recursive: true });
  return {
    patterns: families.has("patterns") ? patternModels(place) : [],
    "metrics of 15": families.has("metrics of 15") ? metricsModels(place, "15") : [],
    "metrics of 16": families.has("metrics of 16") ? metricsModels(place, "16") : [],
    legacy: [...CHOSEN, ...furtherLayouts(CHOSEN)].map((name) => fixture("legacy", `${name}.db`)),
    archives: families.has("archives") ? [await archiveModel(place)] : [],
  };
}

function patternModels(place: string): string[] {
  const models = makeInFormats(place, "patterns", (path) => PatternPersistence.saveToSqlite(library(24), path));
  const log = join(place, "patterns log");
  withLog(join(place, "patterns small"), log, "UPDATE patterns SET name = name || '!'");
  return [...models, log];
}

function metricsModels(place: string, line: "15" | "16"): string[] {
  const models = makeInFormats(place, `metrics ${line}`, (path) => record(line, path));
  foldRows(join(place, `metrics ${line} small`), line === "15" ? "empathy_level" : "level");
  if (line === "15") return models;
  const log = join(place, "metrics 16 log");
  withLog(join(place, "metrics 16 usual"), log, "UPDATE interactions SET success = 1 - success");
  return [...models, log];
}

async function archiveModel(place: string): Promise<string> {
  const states = join(place, "empathy_state");
  makeUnusualStates(states);
  await migrate(states, { saveReport: false });
  return `${states}.v15.sqlar`;
}

/** Makes one database of every format. */
function makeInFormats(place: string, name: string, fill: (path: string) => void): string[] {
  return Object.entries(FORMATS).map(([format, pragmas]) => {
    const path = join(place, `${name} ${format}`);
    preset(path, pragmas);
    fill(path);
    return path;
  });
}

const FORMATS: Record<string, string> = {
  usual: "PRAGMA page_size = 4096",
  small: "PRAGMA page_size = 512; PRAGMA auto_vacuum = FULL",
  utf16: "PRAGMA encoding = 'UTF-16'",
};

/** Sets pragmas that SQLite accepts only while a database is empty. */
function preset(path: string, pragmas: string): void {
  const database = new Database(path);
  database.exec(`${pragmas}; CREATE TABLE gone (x); DROP TABLE gone`);
  database.close();
}

/** Library in which some values need overflow pages. */
export function library(size: number, prefix = "p"): PatternLibrary {
  const made = new PatternLibrary();
  for (let number = 0; number < size; number += 1)
    made.contribute(`agent ${number % 3}`, {
      id: `${prefix}${number}`,
      pattern_type: "sequential",
      name: `Pattern ${number} é`,
      code: "c".repeat(number % 5 === 0 ? 3000 : 20),
      context: { number, nested: { list: [1, 2, number] } },
      tags: ["one", "two"],
    });
  return made;
}

function record(line: "15" | "16", path: string): void {
  const collector = line === "15" ? new Collector15(path) : new Collector16(path);
  for (let number = 0; number < 60; number += 1) {
    const metadata = number % 4 === 0 ? { number, text: "m".repeat(number * 20) } : null;
    if (collector instanceof Collector15)
      collector.recordMetric(`user ${number % 7}`, (number % 5) + 1, number % 3 > 0, number, metadata);
    else collector.recordMetric(`user ${number % 7}`, number % 3 > 0, number, metadata);
  }
  collector.close();
  const database = new Database(path);
  database.pragma("journal_mode = DELETE");
  database.close();
}

/** Adds the tables that hold the statistics of a long database. */
function foldRows(path: string, column: "level" | "empathy_level"): void {
  const database = openDatabase(path, { intent: "change" });
  rollupStatistics(database, column, { threshold: 10 }).foldAll();
  database.close();
}

/** Makes a copy whose last change is only in its log. */
function withLog(from: string, to: string, change: string): void {
  const copy = `${to} while open`;
  copyFileSync(from, copy);
  const database = new Database(copy);
  database.pragma("journal_mode = WAL");
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.exec(change);
  copyModel(copy, to);
  database.close();
}
