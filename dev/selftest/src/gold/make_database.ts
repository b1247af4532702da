import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { temporaryFolder } from "../../../../test/temporary_folder.ts";

/** Recipe of a database. */
export interface DatabaseRecipe {
  statements: readonly string[];
  /** Statements whose changes stay in the write-ahead log, as after a crash of the writer. */
  inLog?: readonly string[];
  /** Page size in bytes; small pages keep the gold files small. */
  pageSize?: number;
  encoding?: "UTF-16be";
}

/** Creates a database, with a log if the recipe has one; existing files are replaced. */
export function makeDatabase(path: string, recipe: DatabaseRecipe): void {
  const folder = temporaryFolder();
  try {
    const made = join(folder, "made.db");
    const database = new Database(made);
    database.pragma(`encoding = '${recipe.encoding ?? "UTF-8"}'`);
    database.pragma(`page_size = ${recipe.pageSize ?? 1024}`);
    for (const statement of recipe.statements) database.exec(statement);
    if (recipe.inLog) {
      database.pragma("journal_mode = WAL");
      database.pragma("wal_autocheckpoint = 0");
      for (const statement of recipe.inLog) database.exec(statement);
      // Copied while it is open, because closing would move the log into the database.
      copyWithLog(made, path);
    }
    database.close();
    if (!recipe.inLog) copyWithLog(made, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies a database and its write-ahead log, as far as they exist. */
export function copyWithLog(from: string, to: string): void {
  for (const part of ["", "-wal"]) {
    rmSync(to + part, { force: true });
    if (existsSync(from + part)) copyFileSync(from + part, to + part);
  }
}

/** Runs SQL on an existing database. */
export function runSql(path: string, sql: string): void {
  const database = new Database(path, { fileMustExist: true });
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}
