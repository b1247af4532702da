import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { assertLogsBelong } from "../../src/sqlite/foreign_log.ts";
import { openDatabase } from "../../src/sqlite/open_database.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const WRITER = fileURLToPath(new URL("programs/any_writer.mjs", import.meta.url));

const RUNS = Math.ceil(Number(process.env["PERDURA_RUNS"] ?? 1));

const CELLS = ["wal", "delete", "truncate", "persist"].flatMap((journal) =>
  [0, 1, 2].map((vacuum) => ({ journal, vacuum })),
);

// Whatever a writer does with a database, and whenever it is killed: its own log must never be refused.
test.each(CELLS)("accepts every log of a killed writer (journal $journal, auto_vacuum $vacuum)", async (cell) => {
  const path = join(freshFolder(), "x.db");
  for (let run = 0; run < RUNS; run += 1) {
    const seed = Math.trunc(Math.random() * 2 ** 30);
    const child = spawn(process.execPath, [WRITER, path, cell.journal, String(cell.vacuum), String(seed)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    // It prints a line for each step. A number of steps instead of a time: slow machines reach the same places.
    let steps = 0;
    for await (const chunk of child.stdout) {
      steps += String(chunk).length;
      if (existsSync(path)) assertLogsBelong(path, `${path}, seed ${seed}`);
      if (steps > 200 + (seed % 300)) child.kill("SIGKILL");
    }
    await ended;
    assertLogsBelong(path, `${path}, seed ${seed}`);
  }
});

test("ignores a frame whose head a killed writer wrote, but not its page", () => {
  const path = join(freshFolder(), "x.db");
  const database = connect(path);
  database.pragma("journal_mode = WAL");
  database.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.exec("UPDATE t SET a = 2");
  const copy = join(freshFolder(), "x.db");
  for (const suffix of ["", "-wal"]) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
  database.close();
  const frame = Buffer.alloc(24 + 4096);
  // Page 1, as the end of a transaction, with the salt of the log.
  frame.writeUInt32BE(1, 0);
  frame.writeUInt32BE(2, 4);
  readFileSync(`${copy}-wal`).copy(frame, 8, 16, 24);
  appendFileSync(`${copy}-wal`, frame);
  assertLogsBelong(copy, copy);
  const opened = connect(copy);
  expect(opened.prepare("SELECT a FROM t").pluck().get()).toBe(2);
  opened.close();
});

// Windows allows no colon in a file name.
test.skipIf(process.platform === "win32")("does not look for the logs of a database in memory", () => {
  const [folder, before] = [freshFolder(), process.cwd()];
  // The log of a killed writer, next to a database that uses none: opening that file is refused.
  const path = join(folder, ":memory:");
  connect(path).exec("CREATE TABLE t (a)").close();
  const writer = connect(join(folder, "x.db"));
  writer.pragma("journal_mode = WAL");
  writer.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  copyFileSync(join(folder, "x.db-wal"), `${path}-wal`);
  writer.close();
  expect(() => openDatabase(path, { intent: "read" })).toThrow("belongs to another database");
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
  openDatabase(":memory:", { intent: "record" }).close();
});

test("refuses the journal of a killed writer next to another database with the same number of changes", () => {
  const [path, other] = [join(freshFolder(), "x.db"), join(freshFolder(), "x.db")];
  for (const [place, rows] of [
    [path, 3000],
    [other, 1000],
  ] as const) {
    const made = connect(place);
    made.exec(
      `CREATE TABLE t (a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) INSERT INTO t SELECT i FROM n`,
    );
    made.close();
  }
  const writer = connect(path);
  writer.pragma("cache_size = 5");
  writer.exec("BEGIN; UPDATE t SET a = a + 1; INSERT INTO t SELECT a FROM t");
  copyFileSync(`${path}-journal`, `${other}-journal`);
  assertLogsBelong(path, path);
  expect(() => assertLogsBelong(other, other)).toThrow(/its log x\.db-journal belongs to another database/);
  writer.close();
});

const OTHER_FILES = ["-wal", "-journal"].flatMap((suffix) =>
  ["n", "The notes of a person.\n", "\0\0note", "7\x7f\x06\x80"].flatMap((text) =>
    ["a database", "an empty database", "no database"].map((what) => ({ suffix, text, what })),
  ),
);

test.each(OTHER_FILES)("keeps a file $suffix that is not a log next to $what ($#)", ({ suffix, text, what }) => {
  const path = join(freshFolder(), "x.db");
  if (what === "a database") connect(path).exec("CREATE TABLE t (a)").close();
  if (what === "an empty database") writeFileSync(path, "");
  const before = existsSync(path) ? readFileSync(path) : undefined;
  writeFileSync(`${path}${suffix}`, text, "latin1");
  for (const intent of ["read", "change", "record"] as const) {
    if (what === "no database" && intent !== "record") continue;
    expect(() => openDatabase(path, { intent })).toThrow(
      `${path}${suffix} is not a ${suffix === "-wal" ? "log" : "journal"} of SQLite`,
    );
  }
  expect(existsSync(path) ? readFileSync(path) : undefined).toEqual(before);
  expect(readFileSync(`${path}${suffix}`, "latin1")).toBe(text);
});

// What a writer leaves that was killed while it created a log, or after its transaction had ended.
const BEGUN = [
  { suffix: "-wal", bytes: "" },
  { suffix: "-wal", bytes: "377f06" },
  { suffix: "-wal", bytes: "377f0682002de218" },
  { suffix: "-wal", bytes: "00".repeat(4096) },
  { suffix: "-journal", bytes: "" },
  { suffix: "-journal", bytes: "d9d505f920a163d7" },
  { suffix: "-journal", bytes: `${"00".repeat(20)}0000020000001000` },
];

test.each(BEGUN)("lets SQLite use the beginning of its own $suffix ($bytes)", ({ suffix, bytes }) => {
  const path = join(freshFolder(), "x.db");
  connect(path).exec("CREATE TABLE t (a)").close();
  writeFileSync(`${path}${suffix}`, Buffer.from(bytes, "hex"));
  const database = openDatabase(path, { intent: "change" });
  database.exec("INSERT INTO t VALUES (1)");
  expect(database.prepare("SELECT a FROM t").pluck().all()).toEqual([1]);
  database.close();
});
