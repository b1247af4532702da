import { existsSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { WriteStep } from "../corpus/case.ts";
import type { Finding } from "./findings.ts";
import { missing } from "./text_files.ts";

/**
 * Changes a database of the implementation as another program would, in the original and at once: a lock that the
 * adapter kept after settling is a difference. Foreign keys are enforced.
 */
export function writeAsAnother({ write, statements }: WriteStep, directory: string): Finding[] {
  const path = join(directory, write);
  if (!existsSync(path)) return [missing(write)];
  const wanted = "a database that another program can write, because everything is settled";
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 0, fileMustExist: true });
    database.pragma("foreign_keys = ON");
    database.transaction((open: Database.Database) => statements.forEach((statement) => open.exec(statement)))(
      database,
    );
    return [];
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return [{ at: "", wanted, got: error.message }];
  } finally {
    database?.close();
  }
}
