import { createHash } from "node:crypto";
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { comparable, contentOf } from "../../../../fixtures/database_content.ts";
import { ownKind, SIDE_FILE } from "../../../../packages/migrator/src/io/own_files.ts";

/** Content of a folder by name: equal text means equal data. */
export type DataState = ReadonlyMap<string, string>;

/** True for temporary files of a run that is active or was killed. */
export function isUnfinished(name: string): boolean {
  return name.split("/").some((part) => ownKind(part) === "temporary") || SIDE_FILE.test(name);
}

/** True for the report of a run: it contains times and paths, and every run that changed something writes one. */
export function isReport(name: string): boolean {
  return ownKind(basename(name)) === "report";
}

/** Everything below a folder, folders included. */
export function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
}

/**
 * Reads the state of a folder. Databases are opened as by any program, which rolls back the transaction of a killed
 * one: pass a copy. A directory of states is one item, because it exists as a whole or not at all.
 *
 * @param states Names of the directories of states.
 */
export function lookAt(folder: string, states: readonly string[]): DataState {
  const within = (name: string): string | undefined =>
    states.find((directory) => name === directory || name.startsWith(`${directory}/`));
  const found = new Map<string, string>();
  for (const name of namesIn(folder)) {
    const directory = within(name);
    if (directory === undefined && (isUnfinished(name) || isReport(name))) continue;
    const key = directory ?? name;
    const text = describe(join(folder, name), directory !== undefined);
    if (text !== undefined) found.set(key, `${found.get(key) ?? ""}${name} ${text}\n`);
  }
  return found;
}

/** Names of files that differ, or exist on one side only. */
export function differing(one: DataState, other: DataState): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name));
}

/** Shows the first difference between a text and the expected one. */
export function firstDifference(found: string | undefined, expected: string | undefined): string {
  if (found === undefined || expected === undefined) return found === undefined ? "missing" : "not expected";
  let at = 0;
  while (at < found.length && found[at] === expected[at]) at += 1;
  const around = (text: string): string => text.slice(Math.max(0, at - 40), at + 80);
  return `${around(found)} instead of ${around(expected)}`;
}

/** Undefined for a directory that is not part of states: it contains no data of its own. */
function describe(path: string, exact: boolean): string | undefined {
  const found = lstatSync(path, { bigint: true });
  const mode = (found.mode & 0o7777n).toString(8);
  const stamp = exact ? `${mode} ${found.mtimeNs}` : mode;
  if (found.isSymbolicLink()) return `${stamp} ${readlinkSync(path)}`;
  if (found.isFile()) return `${stamp} ${!exact && isDatabase(path) ? contentText(path) : hashOf(path)}`;
  return exact ? stamp : undefined;
}

function hashOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

function isDatabase(path: string): boolean {
  const head = Buffer.alloc(16);
  const descriptor = openSync(path, "r");
  try {
    return readSync(descriptor, head, 0, 16, 0) === 16 && head.toString("latin1") === "SQLite format 3\0";
  } finally {
    closeSync(descriptor);
  }
}

/** Content of a database without the time and place of its migration, which differ between two runs. */
function contentText(path: string): string {
  const database = new Database(path);
  try {
    const check = JSON.stringify(database.pragma("integrity_check", { simple: true }));
    return (
      check +
      JSON.stringify(comparable(contentOf(database)))
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(a time)")
        .replace(/"\/[^"]*?\/data\//g, '"(the folder)/')
    );
  } finally {
    database.close();
  }
}
