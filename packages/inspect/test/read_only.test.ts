import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector as MetricsCollector15, StateManager } from "@perdura/v15";
import { MetricsCollector } from "@perdura/v16";
import Database from "better-sqlite3";
import { expect, test, vi } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { skipWithout } from "../../../test/needs.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";
import { summarizeData } from "../src/read/summarize_data.ts";
import { stampsOf } from "../../../test/tree_stamp.ts";

test("a database in WAL mode is read without its log being written", async () => {
  const folder = freshFolder();
  const metrics = new MetricsCollector(join(folder, "metrics.db"));
  metrics.recordInteraction("alice", 1, true, 10);
  metrics.close();
  const before = stampsOf(folder);
  expect((await summarizeData(folder)).databases[0]?.metrics?.operations).toBe(1);
  expect(stampsOf(folder)).toEqual(before);
});

test("rows that are only in the log of a killed writer are read, and the log is kept", async () => {
  const folder = freshFolder();
  const program = `
    import { MetricsCollector } from "@perdura/v16";
    const metrics = new MetricsCollector(${JSON.stringify(join(folder, "metrics.db"))});
    for (let each = 0; each < 7; each += 1) metrics.recordInteraction("alice", 1, true, 10);
    process.kill(process.pid, "SIGKILL");`;
  const words = ["--conditions=@perdura/source", "--no-warnings", "--input-type=module", "-e", program];
  expect(spawnSync(process.execPath, words, { cwd: import.meta.dirname }).signal).toBe("SIGKILL");
  // A copy without the shared memory, as after a crash of the machine.
  const copy = freshFolder();
  for (const name of ["metrics.db", "metrics.db-wal"]) copyFileSync(join(folder, name), join(copy, name));
  const before = stampsOf(copy);
  expect((await summarizeData(copy)).databases[0]?.metrics?.operations).toBe(7);
  expect(stampsOf(copy)).toEqual(before);
  expect((await summarizeData(folder)).databases[0]?.metrics?.operations).toBe(7);
});

test("a database that a process has open is read in its present state", async () => {
  const folder = freshFolder();
  using metrics = new MetricsCollector(join(folder, "metrics.db"));
  for (let rows = 1; rows <= 3; rows += 1) {
    metrics.recordInteraction("alice", 1, true, 10);
    expect((await summarizeData(folder)).databases[0]?.metrics?.operations).toBe(rows);
  }
});

test("a damaged database and one with a foreign log are listed with their reasons, and the others are read", async () => {
  const folder = freshFolder();
  for (const name of ["whole.db", "cut.db", "foreign.db"]) {
    using metrics = new MetricsCollector(join(folder, name));
    for (let each = 0; each < 500; each += 1) metrics.recordInteraction(`user-${each}`, 1, true, 10);
  }
  truncateSync(join(folder, "cut.db"), 8192);
  mkdirSync(join(folder, "foreign.db-wal"));
  const { databases, unreadable } = await summarizeData(folder);
  expect(databases.map(({ path, metrics }) => [path, metrics?.operations])).toEqual([[join(folder, "whole.db"), 500]]);
  expect(unreadable.map(({ path }) => path).toSorted()).toEqual([join(folder, "cut.db"), join(folder, "foreign.db")]);
  for (const { reason } of unreadable) expect(reason).not.toMatch(/SqliteError|undefined/);
});

test("states that cannot be read are listed with their reasons, and the others are read", async () => {
  const folder = freshFolder();
  const states = join(folder, "state");
  new StateManager(states).saveState("alice", { user_id: "alice", trust_level: 0.5 });
  symlinkSync(join(folder, "absent"), join(states, "dangling.json"));
  mkdirSync(join(folder, "place"));
  symlinkSync(join(folder, "place"), join(states, "folder.json"));
  writeFileSync(join(states, "cut.json"), '{"user_id":"cut","tr');
  const { state_directories: found, unreadable } = await summarizeData(folder);
  expect(unreadable.map(({ path }) => path)).toEqual([join(states, "dangling.json"), join(states, "folder.json")]);
  expect(unreadable.map(({ reason }) => reason)).toEqual([expect.stringContaining("ENOENT"), "not a regular file."]);
  expect(found).toMatchObject([{ states: 4, invalid: 1, unreadable: 2, avg_trust: 0.5 }]);
  const cut = found[0]?.top_states.find(({ user_id }) => user_id === "cut");
  expect(cut?.reason).toMatch(/^line 1:/);
});

test("of very many states that cannot be read, some are named, and the others are counted", async () => {
  const folder = freshFolder();
  const states = join(folder, "state");
  new StateManager(states).saveState("alice", { user_id: "alice", trust_level: 0.5 });
  for (let each = 0; each < 50; each += 1) symlinkSync(join(folder, "absent"), join(states, `u${each}.json`));
  const { unreadable } = await summarizeData(folder);
  expect(unreadable).toHaveLength(21);
  expect(unreadable.at(-1)).toEqual({ path: states, reason: "30 more states cannot be read." });
});

test.each([true, false])("many interactions without sums are read in pieces, level column: %s", async (hasLevel) => {
  const path = join(freshFolder(), "metrics.db");
  const database = new Database(path);
  database.exec(`CREATE TABLE interactions (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL,
      ${hasLevel ? "level" : "empathy_level"} INTEGER NOT NULL, success BOOLEAN NOT NULL, response_time_ms REAL,
      timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
    INSERT INTO interactions (user_id, ${hasLevel ? "level" : "empathy_level"}, success, response_time_ms, timestamp)
      SELECT 'user' || (i % 40), 1 + i % 5, i % 3 > 0, i, datetime(1700000000 + 60 * i, 'unixepoch')
      FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000) SELECT i FROM n)`);
  database.close();
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 0);
  const before = await summarizeData(path);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  const [found] = before.databases;
  expect(found?.metrics).toMatchObject({
    users: 40,
    operations: 60_000,
    levels: [12_000, 12_000, 12_000, 12_000, 12_000],
  });
  // The same answers from sums.
  const Collector = hasLevel ? MetricsCollector : MetricsCollector15;
  using metrics = new Collector(path);
  for (let each = 0; each < 50; each += 1) metrics.getGlobalStats();
  const [summed] = (await summarizeData(path)).databases;
  expect(rounded(summed?.metrics)).toEqual(rounded(found?.metrics));
});

/** Without digits in which sums are rounded differently. */
const rounded = (found: unknown): unknown =>
  JSON.parse(
    JSON.stringify(found, (_, value: unknown) =>
      typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(12)) : value,
    ),
  );

test("a file that only has the name of a backup is listed with its reason, not as a backup", async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, "metrics.db.v15.bak"), "a note");
  const { backups, left_alone: others } = await summarizeData(folder);
  expect(backups).toEqual([]);
  expect(others.map(({ path }) => path)).toEqual([join(folder, "metrics.db.v15.bak")]);
});

test("an unknown option is refused", async () => {
  await expect(async () => summarizeData(".", { limit: 5 } as object)).rejects.toThrow(
    /^options: unknown option "limit"/,
  );
});

/** Summarises a database whose copy needs the directory for temporary files; returns why it cannot be read. */
async function reasonWith(temporary: string): Promise<string | undefined> {
  const path = join(freshFolder(), "metrics.db");
  using metrics = new MetricsCollector(path);
  metrics.recordMetric("alice", true, 10, { note: "x".repeat(400_000) });
  metrics.close();
  vi.stubEnv("TMPDIR", temporary);
  try {
    const { unreadable } = await summarizeData(path);
    return unreadable[0]?.reason;
  } finally {
    vi.unstubAllEnvs();
  }
}

test("a directory for temporary files that is missing is named", async () => {
  const missing = join(freshFolder(), "missing");
  expect(await reasonWith(missing)).toBe(
    `${missing}: the directory for temporary files cannot be used (ENOENT). Set the environment variable TMPDIR to another one.`,
  );
});

test("a directory for temporary files that is too small for a copy is named before the copy is made", async (context) => {
  const small = temporaryFolder();
  const mounted =
    process.platform === "linux" && spawnSync("mount", ["-t", "tmpfs", "-o", "size=256k", "perdura", small]);
  if (mounted === false || mounted.status !== 0) return skipWithout("mount", context);
  try {
    expect(await reasonWith(small)).toMatch(
      new RegExp(
        `^${small}: the directory .* is too small for a copy of the database: \\d+ bytes are needed, 262144 are free\\.`,
      ),
    );
    expect(readdirSync(small)).toEqual([]);
  } finally {
    spawnSync("umount", [small]);
    rmSync(small, { recursive: true });
  }
});
