import { existsSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { library } from "./models.ts";
import { attempt, faultsOfError } from "./own_error.ts";
import { changesBetween, stampsOf } from "./stamp.ts";

/** Outcome of reading one file. */
export interface Judgement {
  /** True if the file was read or written, false if it was refused. */
  answered: boolean;
  /** Faults of the reader, a sentence each. */
  wrong: string[];
}

type Persistence = typeof v15.PatternPersistence;

/** Loads a pattern database, adds to it, and replaces it by another library. */
export function judgePatterns(path: string, line: "15" | "16"): Judgement {
  const persistence: Persistence = line === "15" ? v15.PatternPersistence : (v16.PatternPersistence as Persistence);
  const folder = dirname(path);
  const [before, mayRecover] = [stampsOf(folder), hasSideFile(path)];
  const wrong: string[] = [];
  const loaded = attempt("load", path, wrong, () => persistence.loadFromSqlite(path));
  // A log or a journal of a killed writer belongs to the database: reading may apply it.
  if (!mayRecover) wrong.push(...changesBetween(before, stampsOf(folder)).map((change) => `load: ${change}`));
  if (loaded !== undefined)
    wrong.push(
      ...compareWithPlain(
        path,
        [...loaded.patterns.values()].map((each) => ({ ...each })),
      ),
    );
  for (const mode of ["merge", "replace"] as const)
    wrong.push(...judgeSave(persistence, path, mode, mode === "merge" ? loaded?.patterns : new Map()));
  return { answered: loaded !== undefined, wrong };
}

const hasSideFile = (path: string): boolean => ["-wal", "-journal"].some((side) => existsSync(path + side));

/** Compares the patterns with the rows that plain SQLite reads. */
function compareWithPlain(path: string, patterns: Record<string, unknown>[]): string[] {
  let rows: Record<string, unknown>[];
  const database = new Database(path, { readonly: true });
  try {
    rows = database.prepare(`SELECT ${PATTERN_FIELDS.join(", ")} FROM patterns`).all() as Record<string, unknown>[];
  } catch (error) {
    return [`load: ${patterns.length} patterns, but SQLite fails with ${(error as Error).message}`];
  } finally {
    database.close();
  }
  const text = (list: Record<string, unknown>[]): string =>
    list
      .map((row) => JSON.stringify(["id", "name", "code", "usage_count"].map((field) => row[field] ?? null)))
      .toSorted()
      .join("\n");
  const zeroed = rows.map((row) => ({ ...row, usage_count: row["usage_count"] ?? 0 }));
  return text(zeroed) === text(patterns) ? [] : ["load: the patterns differ from those that SQLite reads"];
}

/** After a successful save everything is stored; after a refused one nothing has changed. */
function judgeSave(
  persistence: Persistence,
  path: string,
  mode: "merge" | "replace",
  earlier: ReadonlyMap<string, unknown> | undefined,
): string[] {
  const folder = dirname(path);
  const [before, mayRecover] = [stampsOf(folder), hasSideFile(path)];
  const added = library(5, "added ");
  try {
    persistence.saveToSqlite(added, path, { mode });
  } catch (error) {
    const changes = mayRecover ? [] : changesBetween(before, stampsOf(folder));
    return [...faultsOfError(mode, error, path), ...changes.map((change) => `refused to ${mode}, but ${change}`)];
  }
  if (earlier === undefined && mode === "merge") return [];
  try {
    const ids = new Set(persistence.loadFromSqlite(path).patterns.keys());
    const missing = [...(earlier?.keys() ?? []), ...added.patterns.keys()].filter((id) => !ids.has(id));
    return missing.length === 0 ? [] : [`${mode} succeeded, but ${missing.length} patterns are missing`];
  } catch (error) {
    // Damage elsewhere remains; but data that was readable before must be readable now.
    if (earlier !== undefined && mode === "merge")
      return [`${mode} succeeded, but then loading failed: ${(error as Error).message}`];
    return isPerduraError(error) ? [] : faultsOfError("load", error, path);
  }
}
