import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import type { AgeStep, PutStep, WriteStep } from "../corpus/case.ts";
import { packageRoot } from "../package_root.ts";
import { openDatabase, UNSYNCED } from "./database_copy.ts";
import { WRITABLE, type Finding } from "./findings.ts";
import { suiteText } from "./suite_text.ts";
import { missing, placeOf } from "./text_files.ts";

/**
 * Writes a file that the implementation did not write into the case's directory.
 * @returns the difference if the file that gets a second name does not exist: an earlier step should have written it.
 */
export function provideFile(step: PutStep, directory: string, scratch: string): Finding[] {
  const path = placeOf(step.put, directory);
  if (step.link !== undefined && !existsSync(placeOf(step.link, directory))) return [missing(step.link)];
  mkdirSync(dirname(path), { recursive: true });
  if (step.text !== undefined) {
    writeFileSync(path, step.newline === "crlf" ? step.text.replaceAll("\n", "\r\n") : step.text);
    if (step.mode !== undefined) chmodSync(path, step.mode);
  } else if (step.file !== undefined) copyDatabase(join(packageRoot(), "files", step.file), path);
  else if (step.link !== undefined) linkSync(placeOf(step.link, directory), path);
  else if (step.symlink !== undefined) symlinkSync(placeOf(step.symlink, directory), path);
  else if (step.base64 !== undefined) writeFileSync(path, Buffer.from(step.base64, "base64"));
  else if (step.sqlite) makeDatabase(path, step.sqlite, scratch);
  return [];
}

/**
 * Removes a database with its journals, as a program does that puts another one in its place, or its log alone.
 *
 * @returns False if the system does not remove open files.
 */
export function removeDatabase(file: string, directory: string): boolean {
  const path = placeOf(file, directory);
  try {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** With `leave_wal`, the rows stay in the write-ahead log, as after a crash of the writer. */
function makeDatabase(path: string, recipe: NonNullable<PutStep["sqlite"]>, scratch: string): void {
  const folder = mkdtempSync(join(scratch, "made-"));
  const made = join(folder, "made.db");
  const database = openDatabase(made);
  try {
    database.run(UNSYNCED);
    if (recipe.page_size !== undefined) database.run(`PRAGMA page_size = ${recipe.page_size}`);
    if (recipe.leave_wal) database.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
    for (const statement of recipe.statements) database.run(statement);
    if (recipe.leave_wal) copyDatabase(made, path);
  } finally {
    database.close();
  }
  if (!recipe.leave_wal) copyDatabase(made, path);
  rmSync(folder, { recursive: true, force: true });
}

function copyDatabase(from: string, to: string): void {
  for (const suffix of ["", "-wal"]) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
}

/**
 * Changes a database of the implementation as another program would: in the original and without waiting, so that a
 * lock that the adapter kept after settling is a difference. Foreign keys are enforced.
 * @returns "locked" if the implementation has open objects and keeps others out, as it may.
 */
export function writeAsOtherProgram({ write, statements, open }: WriteStep, directory: string): Finding[] | "locked" {
  const path = join(directory, write);
  if (!existsSync(path)) return [missing(write)];
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 0, fileMustExist: true });
    database.pragma("foreign_keys = ON");
    database.transaction((opened: Database.Database) => statements.forEach((statement) => opened.exec(statement)))(
      database,
    );
    return [];
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (open && error.code.startsWith("SQLITE_BUSY")) return "locked";
    return [{ at: "", wanted: WRITABLE, got: suiteText(error.message) }];
  } finally {
    database?.close();
  }
}

/** Sets the times of a file, or of all files below a directory, to a moment in the past. */
export function makeOlder({ age, days }: AgeStep, directory: string): Finding[] {
  const path = placeOf(age, directory);
  if (!existsSync(path)) return [missing(age)];
  const then = new Date(Date.now() - days * 86_400_000);
  const names = statSync(path).isDirectory() ? readdirSync(path, { recursive: true, encoding: "utf8" }) : [];
  for (const file of [...names.map((name) => join(path, name)), path]) utimesSync(file, then, then);
  return [];
}
