import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { identifierFault } from "@perdura/internals/text/identifiers.js";
import Database from "better-sqlite3";
import { MetricsCollector as Collector15 } from "@perdura/v15";
import { MetricsCollector as Collector16 } from "@perdura/v16";
import type { Judgement } from "./judge_patterns.ts";
import { attempt, faultsOfError } from "./own_error.ts";
import { changesBetween, isWithoutContent, stampsOf } from "./stamp.ts";

type Collector = Collector15 | Collector16;

/** Opens a metrics database, queries all statistics, exports it in each format, and records. */
export function judgeMetrics(path: string, line: "15" | "16", exports: string): Judgement {
  const folder = dirname(path);
  const before = stampsOf(folder);
  const mayRecover = ["-wal", "-journal"].some((side) => existsSync(path + side));
  const wrong: string[] = [];
  let collector: Collector;
  try {
    collector = line === "15" ? new Collector15(path) : new Collector16(path);
  } catch (error) {
    const after = stampsOf(folder);
    if (!mayRecover)
      wrong.push(...changesBetween(before, after, isWithoutContent(after)).map((one) => `refused to open, but ${one}`));
    return { answered: false, wrong: [...wrong, ...faultsOfError("open", error, path)] };
  }
  try {
    useAll(collector, path, exports, wrong);
  } finally {
    attempt("close", path, wrong, () => collector.close());
  }
  return { answered: true, wrong };
}

function useAll(collector: Collector, path: string, exports: string, wrong: string[]): void {
  const ask = <Result>(what: string, task: () => Result): Result | undefined => attempt(what, path, wrong, task);
  const rows = countPlain(path);
  const global = ask("getGlobalStats", () => collector.getGlobalStats());
  if (global !== undefined && rows !== undefined && global.total_interactions !== rows)
    wrong.push(`getGlobalStats counts ${global.total_interactions} rows, SQLite ${rows}`);
  const users = ask("getAllUsers", () => collector.getAllUsers());
  // A damaged database may have users with invalid ids, which statistics refuse.
  for (const user of (users ?? []).slice(0, 10).filter((each) => identifierFault(each) === undefined))
    ask("getUserStats", () => collector.getUserStats(user));
  for (const format of ["json", "jsonl", "csv"]) judgeExport(collector, join(exports, `out.${format}`), path, wrong);
  const id = ask("recordInteraction", () => collector.recordInteraction("soak", 3, true, 1.5));
  const metadata = ask("recordMetric", () => {
    if (collector instanceof Collector15) collector.recordMetric("soak", 2, true, 2, { soak: "yes" });
    else collector.recordMetric("soak", true, 2, { soak: "yes" });
    return true;
  });
  const now = countPlain(path);
  const recorded = (id === undefined ? 0 : 1) + (metadata === undefined ? 0 : 1);
  if (rows !== undefined && now !== undefined && now !== rows + recorded)
    wrong.push(`${rows} rows before and ${recorded} recorded, but ${now} rows after`);
}

function judgeExport(collector: Collector, file: string, path: string, wrong: string[]): void {
  rmSync(dirname(file), { recursive: true, force: true });
  mkdirSync(dirname(file), { recursive: true });
  const count = attempt(`export ${file.split(".").at(-1)}`, path, wrong, () => collector.exportMetrics(file));
  const left = [...stampsOf(dirname(file)).keys()];
  if (count === undefined) {
    if (left.length > 0) wrong.push(`a failed export left behind ${left.join(", ")}`);
    return;
  }
  try {
    const rows = rowsIn(file);
    if (rows !== undefined && rows !== count) wrong.push(`${file} has ${rows} rows, but reports ${count}`);
  } catch (error) {
    wrong.push(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function rowsIn(file: string): number | undefined {
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".json")) return (JSON.parse(text) as { interactions: unknown[] }).interactions.length;
  if (!file.endsWith(".jsonl")) return undefined;
  const lines = text.split("\n").slice(0, -1);
  return lines.filter((line) => JSON.parse(line) as unknown).length;
}

/** Number of rows according to plain SQLite; undefined if SQLite cannot read them, or gives two answers itself. */
function countPlain(path: string): number | undefined {
  let database: Database.Database | undefined;
  try {
    // Opening a pipe would block forever.
    if (!statSync(path).isFile()) return undefined;
    database = new Database(path, { readonly: true, fileMustExist: true });
    const isTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'interactions' AND rootpage > 0").get();
    // Two tables with the same root page have each other's rows.
    const shared = database.prepare("SELECT count(*) > count(DISTINCT rootpage) FROM sqlite_schema WHERE rootpage > 0");
    if (isTable === undefined || shared.pluck().get() !== 0) return undefined;
    // The table of an extension would check itself, and may read its rows from an endless view.
    const extensions = database.prepare(
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND (rootpage = 0 OR sql LIKE '%virtual%')",
    );
    const part = extensions.pluck().get() === 0 ? "" : "(interactions)";
    const faults = database.prepare(`PRAGMA integrity_check${part}`).pluck().all().join("\n");
    if (/2nd reference|wrong # of entries|missing from index/.test(faults)) return undefined;
    return database.prepare("SELECT count(id) FROM interactions NOT INDEXED").pluck().get() as number;
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}
