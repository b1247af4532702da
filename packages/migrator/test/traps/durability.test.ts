import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canTrace, listingCalls, readCalls } from "../../../../dev/soak/src/system_calls/strace.ts";
import { freshFolder } from "../support/folder.ts";
import { DOCUMENTED_15, METRICS } from "../../src/database/layouts/table_layouts.ts";
import { fill, oldTable } from "../layouts/old_table.ts";
import { connect, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { migratorCommand } from "../../../../test/programs.ts";
import { needs } from "../../../../test/needs.ts";

// The driver is compiled so that a commit to a write-ahead log is not synced: a power cut would undo the migration
// after it was reported as successful, and after programs of 16 were started.

/** The calls of one `up` that write to, sync or remove files of a database, as `name file`. */
function callsOf(path: string): string[] {
  const log = join(freshFolder(), "calls");
  const [program = "", ...words] = [...listingCalls(log), ...migratorCommand("up", "--no-backup", path)];
  expect(spawnSync(program, words).status).toBe(0);
  const files = new RegExp(`${path}(-wal|-journal)?[">]`);
  return readCalls(readFileSync(log, "utf8")).flatMap(({ name, text }) => {
    const match = files.exec(text);
    return match === null ? [] : [`${name} ${match[1] ?? "database"}`];
  });
}

function database(journal: "wal" | "delete"): string {
  const path = join(freshFolder(), "m.db");
  // A table that is renamed, and one of which the rows move.
  const old = oldTable(journal === "wal" ? DOCUMENTED_15 : METRICS);
  makeDatabase(path, `PRAGMA journal_mode = ${journal}`, old.create);
  fill(path, old, 20);
  return path;
}

const isSync = (call: string): boolean => /^f(?:data)?sync /.test(call);

describe("a commit of up is synced before it is reported", needs("strace", !canTrace()), () => {
  test("with a write-ahead log", () => {
    const path = database("wal");
    // Another connection: without it, closing the last one would merge the log, and sync it for that.
    const other = connect(path);
    other.prepare("SELECT count(*) FROM interactions").get();
    const calls = callsOf(path);
    other.close();
    const written = calls.findLastIndex((call) => call.startsWith("pwrite64 -wal"));
    expect(written).toBeGreaterThanOrEqual(0);
    expect(calls.slice(written)).toContainEqual(expect.stringMatching(/^f(?:data)?sync -wal$/));
  });

  test("with a rollback journal", () => {
    const calls = callsOf(database("delete"));
    const removed = calls.lastIndexOf("unlink -journal");
    const written = calls.lastIndexOf("pwrite64 database");
    expect(written).toBeGreaterThanOrEqual(0);
    expect(removed).toBeGreaterThan(written);
    expect(calls.slice(written, removed).filter(isSync)).toContainEqual(expect.stringContaining("database"));
    // The journal was synced first: without it no rollback would be possible.
    const first = calls.indexOf("pwrite64 database");
    expect(calls.slice(0, first).filter(isSync)).toContainEqual(expect.stringContaining("-journal"));
  });
});
