import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { canTrace, listingCalls, readCalls } from "../../../../dev/soak/src/system_calls/strace.ts";
import { commandLine } from "./program.ts";
import { runProgram } from "./run_program.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { needs } from "../../../../test/needs.ts";

// SQLite's backup commits through its own connection, which does not sync everything: a power cut undid a completed
// pull of a library.

const folder = freshFolder();

/** A library with a backup. */
async function backedUp(name: string, journal: string): Promise<{ library: string; pull: string[] }> {
  const library = join(folder, `${name}.db`);
  PatternPersistence.saveToSqlite(new PatternLibrary(), library);
  const database = new Database(library);
  database.pragma(`journal_mode = ${journal}`);
  database.close();
  const store = pathToFileURL(join(folder, `${name}-store`)).href;
  expect((await runProgram("push", "-q", store, library)).code).toBe(0);
  return { library, pull: ["pull", "-q", "--overwrite", store, name, "--to", library] };
}

/** The calls of a program that write to, sync or remove files of a library, as `name file`; its directory is `/`. */
function callsOf(library: string, words: string[]): string[] {
  const log = join(folder, "calls");
  const [program = "", ...rest] = [...listingCalls(log), ...commandLine(...words)];
  expect(spawnSync(program, rest).status).toBe(0);
  const files = new RegExp(`${library}(-wal|-journal)?[">]`);
  return readCalls(readFileSync(log, "utf8")).flatMap(({ name, text }) => {
    if (text.includes(`<${folder}>)`)) return [`${name} /`];
    const match = files.exec(text);
    return match === null ? [] : [`${name} ${match[1] ?? "database"}`];
  });
}

describe("pull syncs the library before it reports success", needs("strace", !canTrace()), () => {
  test("with a write-ahead log that another process has open", async () => {
    const { library, pull } = await backedUp("wal", "wal");
    const other = new Database(library);
    other.prepare("SELECT count(*) FROM patterns").get();
    const calls = callsOf(library, pull);
    other.close();
    const written = calls.lastIndexOf("pwrite64 -wal");
    expect(written).toBeGreaterThanOrEqual(0);
    expect(calls.slice(written)).toContain("fsync -wal");
    expect(calls.slice(written)).toContain("fsync /");
  });

  test("and syncs the removal of the journal", async () => {
    const { library, pull } = await backedUp("journal", "delete");
    const calls = callsOf(library, pull);
    const removed = calls.lastIndexOf("unlink -journal");
    expect(removed).toBeGreaterThan(calls.lastIndexOf("pwrite64 database"));
    expect(calls.slice(removed)).toContain("fsync /");
  });
});
