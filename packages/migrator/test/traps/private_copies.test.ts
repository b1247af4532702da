import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canTrace, listingCalls, readCalls } from "../../../../dev/soak/src/system_calls/strace.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { migratorCommand } from "../../../../test/programs.ts";
import { needs } from "../../../../test/needs.ts";

/** The files that a command creates next to a database that only its owner can read, each with its first mode. */
function filesMadeBy(journal: string, ...words: string[]): { name: string; mode: string }[] {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  makeDatabase(path, `PRAGMA journal_mode = ${journal}`, DOCUMENTED_15);
  addRows(path, "interactions", 20);
  chmodSync(path, 0o600);
  const other = connect(path);
  // The newest rows are in the log.
  other.exec("UPDATE interactions SET success = 1 - success");
  const log = join(freshFolder(), "calls");
  const [program = "", ...rest] = [...listingCalls(log), ...migratorCommand(...words, path)];
  expect(spawnSync(program, rest).status).toBe(0);
  other.close();
  return readCalls(readFileSync(log, "utf8")).flatMap(({ text }) => {
    const [, name, mode] = new RegExp(`"${folder}/([^"]*)", [A-Z_|]*O_CREAT[A-Z_|]*, (0\\d+)`).exec(text) ?? [];
    return name === undefined || mode === undefined ? [] : [{ name, mode }];
  });
}

test.each([
  ["wal", ["up"]],
  ["wal", ["up", "--rehearse"]],
  ["delete", ["up"]],
  ["delete", ["up", "--rehearse"]],
])(
  "never makes a copy of a private database (%s) readable by other users: %j",
  needs("strace", !canTrace()),
  (journal, words) => {
    const made = filesMadeBy(journal, ...words);
    // SQLite creates files with the mode of the database; it opens existing ones with the mode of a new one.
    const first = new Map(made.toReversed().map(({ name, mode }) => [name, mode]));
    const copies = [...first].filter(([name]) => /perdura|\.bak/.test(name) && !/report/.test(name));
    expect(copies.length).toBeGreaterThan(0);
    expect(copies.filter(([, mode]) => !mode.endsWith("600"))).toEqual([]);
  },
);
