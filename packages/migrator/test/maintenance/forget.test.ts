import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { numberText } from "@perdura/cli/quantities.js";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { connect, query } from "../../../../test/legacy/legacy_database.ts";
import {
  forgetData,
  listArchivedStates,
  type MaintenanceReport,
  type ProgressEvent,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { statesIn } from "../../src/commands/read_data.ts";
import { startNode, untilAnotherRow } from "../live/writer.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { endWithOutput } from "../support/program.ts";
import { schemaErrorsOf } from "../support/report_schema.ts";
import { runProgram } from "../support/run_program.ts";
import { longDatabase, ROWS } from "./long_database.ts";

const DAY_MS = 86_400_000;
const ID = "erin-7f3a@example.org";

/** A directory with a database of each line, and states, all with two users. */
function layOut(): string {
  const folder = freshFolder();
  for (const line of ["15", "16"] as const) {
    const path = join(folder, `metrics-${line}.db`);
    using collector = line === "15" ? new v15.MetricsCollector(path) : new v16.MetricsCollector(path);
    for (const user_id of [ID, "kept-user"])
      for (let row = 0; row < (user_id === ID ? 50 : 40); row += 1)
        collector.recordMany([
          {
            user_id,
            ...(line === "15" ? { empathy_level: 2 } : { level: 2 }),
            success: true,
            response_time_ms: row,
            metadata: { note: `about ${user_id}` },
          } as never,
        ]);
    collector.close();
    // Another program leaves the bytes of the rows that it deletes.
    const other = connect(path);
    other.exec(`PRAGMA secure_delete = OFF; DELETE FROM interactions WHERE user_id = '${ID}' AND id % 5 = 0`);
    other.close();
  }
  const states = new v15.StateManager(join(folder, "empathy_state"));
  for (const user of [ID, "kept-user"]) states.saveState(user, { user_id: user, trust_level: 0.5 });
  return folder;
}

/** Names of files below a folder with the bytes of a text in their content or name. */
const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter(({ name, parentPath }) => name.includes(text) || readFileSync(join(parentPath, name)).includes(text))
    .map(({ name }) => name);

test("counts first, and changes nothing without --yes", async () => {
  const folder = layOut();
  const before = stampOf(folder);
  const dry = await runProgram("forget", "--user", ID, "--dry-run", "--json", folder);
  const report = JSON.parse(dry.stdout) as MaintenanceReport;
  expect(schemaErrorsOf("maintenance-report", report)).toEqual([]);
  expect(dry).toMatchObject({ code: 0 });
  expect(report).toMatchObject({
    dry_run: true,
    databases: [
      { layout: "documented-15", status: "planned", interactions: 40, metadata: 40 },
      { layout: "documented-16", status: "planned", interactions: 40, metadata: 40 },
    ],
    state_directories: [{ status: "planned", states: 1 }],
  });
  expect(await runProgram("forget", "--user", ID, folder)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("--yes"),
  });
  expect(await runProgram("forget", "--yes", folder)).toMatchObject({ code: 2 });
  expect(stampOf(folder)).toBe(before);
});

test("forgets a user in databases of both lines and in states, and leaves no byte with --erase", async () => {
  const folder = layOut();
  expect(filesWith(folder, ID).length).toBeGreaterThan(2);
  const { code, stdout } = await runProgram("forget", "--user", ID, "--erase", "--yes", "--json", folder);
  const report = JSON.parse(stdout) as MaintenanceReport;
  expect(schemaErrorsOf("maintenance-report", report)).toEqual([]);
  expect({ code, report }).toMatchObject({
    code: 0,
    report: {
      dry_run: false,
      erase: true,
      databases: [
        { status: "done", interactions: 40, metadata: 40 },
        { status: "done", interactions: 40, metadata: 40 },
      ],
      state_directories: [{ status: "done", states: 1 }],
    },
  });
  expect(stdout).not.toContain("kept-user");
  expect(filesWith(folder, ID)).toEqual([]);
  using old = new v15.MetricsCollector(join(folder, "metrics-15.db"));
  using current = new v16.MetricsCollector(join(folder, "metrics-16.db"));
  for (const collector of [old, current]) {
    expect(collector.getAllUsers()).toEqual(["kept-user"]);
    expect(collector.getUserStats("kept-user").total_operations).toBe(40);
  }
  expect(new v15.StateManager(join(folder, "empathy_state")).listUsers()).toEqual(["kept-user"]);
  expect(await forgetData(folder, { userId: ID })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "nothing_to_do" }, { status: "nothing_to_do" }],
    state_directories: [{ status: "nothing_to_do" }],
  });
});

test.each([
  ["decomposed as on HFS+", "Am\u00e9lie", "Ame\u0301lie"],
  ["a literal escape", "%41", "%41"],
])("forgets the state of a user whose file name is %s", async (_what, user, name) => {
  const directory = join(freshFolder(), "empathy_state");
  mkdirSync(directory);
  for (const [file, id] of [
    [name, user],
    ["kept", "kept"],
  ] as const)
    writeFileSync(join(directory, `${file}.json`), JSON.stringify({ user_id: id, trust_level: 0.5 }));
  expect([...statesIn(directory)].map((state) => state.user_id)).toEqual([user, "kept"]);
  await migrate(directory);
  expect(listArchivedStates(`${directory}.v15.sqlar`)[Symbol.iterator]().next().value).toMatchObject({ user_id: user });
  expect(await verifyMigration(directory)).toMatchObject({ exit_code: 0 });
  expect((await forgetData(directory, { userId: user })).exit_code).toBe(0);
  expect(readdirSync(directory)).toEqual(["kept.json"]);
});

test("deletes what killed programs left of states, and names what a program may still write", async () => {
  const directory = join(freshFolder(), "empathy_state");
  new v15.StateManager(directory).saveState("kept", { user_id: "kept", trust_level: 0.5 });
  const left = spawnSync(process.execPath, ["-e", ""]).pid;
  const name = temporaryName("alice.json");
  const [ofDead, ofLiving] = [name.replace(`-${process.pid}-`, `-${left}-`), name.replace(`-${process.pid}-`, "-1-")];
  for (const file of [ofDead, ofLiving]) writeFileSync(join(directory, file), JSON.stringify({ user_id: ID }));
  const dry = await forgetData(directory, { userId: ID, dryRun: true });
  expect(dry.state_directories).toMatchObject([{ status: "planned", states: 0, unfinished: 1 }]);
  expect(readdirSync(directory).toSorted()).toEqual([ofDead, ofLiving, "kept.json"].toSorted());
  expect((await forgetData(directory, { before: "2026-01-01" })).not_reached.toSorted()).toEqual(
    [ofDead, ofLiving].map((file) => join(directory, file)).toSorted(),
  );
  const { code, stdout } = await runProgram("forget", "--user", ID, "--yes", "--json", directory);
  const report = JSON.parse(stdout) as MaintenanceReport;
  expect(schemaErrorsOf("maintenance-report", report)).toEqual([]);
  expect({ code, report }).toMatchObject({
    code: 0,
    report: {
      state_directories: [{ status: "done", states: 0, unfinished: 1 }],
      not_reached: [join(directory, ofLiving)],
    },
  });
  expect(readdirSync(directory).toSorted()).toEqual([ofLiving, "kept.json"].toSorted());
});

test("deletes old interactions, and keeps the states", async () => {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  let now = Date.now() - 100 * DAY_MS;
  using collector = new v16.MetricsCollector(path, { clock: () => new Date(now) });
  for (const days of [100, 91, 80]) {
    now = Date.now() - days * DAY_MS;
    collector.recordMetric("u", true, 1);
  }
  const words = ["forget", "--older-than", "90d", "--yes", path];
  expect((await runProgram(...words)).stdout).toContain("deleted: 2 interactions, 0 with metadata");
  expect(collector.getGlobalStats().total_interactions).toBe(1);
  expect(await runProgram("forget", "--older-than", "90 days", path)).toMatchObject({ code: 2 });
  const { code, stderr } = await runProgram("forget", "--older-than", "2026-02-30", "--yes", path);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--older-than: expected")]);
  await expect(forgetData(path, { before: "2026-02-30" })).rejects.toMatchObject({ argument: "before" });
});

test("names what it does not reach", async () => {
  const folder = freshFolder();
  copyFileSync(fixture("legacy", "field-a-invalid.db"), join(folder, "metrics.db"));
  expect(await forgetData(folder, { userId: "u1" })).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", reason: expect.stringContaining("Run up first") }],
  });
  const states = new v15.StateManager(join(folder, "empathy_state"));
  states.saveState("u1", { user_id: "u1", trust_level: 0.5 });
  expect(await migrate(folder, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  const report = await forgetData(folder, { userId: "u1", dryRun: true });
  expect(report.not_reached.map((path) => path.slice(dirname(path).length + 1)).toSorted()).toEqual([
    "empathy_state.v15.sqlar",
    "metrics.db.v15.bak",
    "perdura-migration-report.json",
  ]);
  const tables = report.databases[0]?.kept_tables.map(({ table }) => table) ?? [];
  expect(tables).toContain("perdura_quarantine");
  const notReached = `; 3 files and ${tables.length} tables not reached.`;
  const { stdout } = await runProgram("forget", "--user", "u1", "--dry-run", folder);
  expect(stdout).toContain("down would restore deleted states from an archive");
  expect(stdout).toContain(notReached);
  expect((await runProgram("forget", "--user", "u1", "--yes", "--quiet", folder)).stdout).toContain(notReached);
});

test("does not name the declared keys, which say nothing about a user", async () => {
  const path = join(freshFolder(), "metrics.db");
  using collector = new v16.MetricsCollector(path, { breakdown: { keys: ["tool"], numbers: ["tokens"] } });
  collector.recordMetric("u1", true, 1, { tool: "search", tokens: 7 });
  expect(await forgetData(path, { userId: "u1", dryRun: true })).toMatchObject({
    databases: [{ interactions: 1, kept_tables: [] }],
  });
});

const remaining = (path: string): number =>
  Number(query<[bigint]>(path, "SELECT count(*) FROM interactions WHERE user_id = 'u1'").flat()[0]);

/** Number of a progress event of the deletion, after which most of it is left. */
async function stepOf(): Promise<number> {
  const seen: ProgressEvent[] = [];
  await forgetData(longDatabase(), { userId: "u1", onProgress: (event) => seen.push(event) });
  return seen.findIndex(({ stage }) => stage === "forget") + 2;
}

test("after Ctrl-C, the next run deletes the rest", async () => {
  const path = longDatabase();
  const words = ["forget", "--user", "u1", "--yes", "--json", path];
  const ended = await endWithOutput("interrupted_cli.ts", String(await stepOf()), "SIGINT", ...words);
  const report = JSON.parse(ended.stdout) as MaintenanceReport;
  expect(ended.code).toBe(130);
  expect(report).toMatchObject({ exit_code: 130, databases: [{ status: "interrupted" }] });
  const left = remaining(path);
  expect(left).toBeGreaterThan(0);
  expect(left).toBe(ROWS / 3 - (report.databases[0]?.interactions ?? 0));
  expect(await forgetData(path, { userId: "u1" })).toMatchObject({
    databases: [{ status: "done", interactions: left }],
  });
  expect(remaining(path)).toBe(0);
});

/** A database with rows of a user, each with metadata, and copies of rows that were deleted before. */
function databaseWithCopies(rows: number): string {
  const path = join(freshFolder(), "metrics.db");
  using collector = new v16.MetricsCollector(path, { durability: "normal" });
  collector.recordMany(
    Array.from({ length: rows }, () => ({ user_id: ID, success: true, response_time_ms: 1, metadata: { note: "n" } })),
  );
  return path;
}

test("interrupted with --erase, the receipt has the counts so far, and does not say that anything is erased", async () => {
  const path = databaseWithCopies(3000);
  const words = ["forget", "--user", ID, "--yes", "--erase", path];
  const last = String((await stepOf()) - 1);
  const { code, stdout } = await endWithOutput("interrupted_cli.ts", last, "SIGINT", ...words);
  const left = Number(query<[bigint]>(path, "SELECT count(*) FROM interactions").flat()[0]);
  expect(code).toBe(130);
  expect(left).toBeGreaterThan(0);
  const deleted = numberText(3000 - left);
  expect(stdout).toContain(`deleted: ${deleted} interactions, ${deleted} with metadata`);
  expect(stdout).toContain("not erased: ");
  expect(stdout).toContain(`${deleted} interactions deleted, not all erased. Run forget --erase again`);
});

test("while another program reads, the receipt has the counts, and does not say that anything is erased", async () => {
  const path = databaseWithCopies(300);
  const reader = connect(path);
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM interactions").get();
  const busy = await forgetData(path, { userId: ID, erase: true, busyTimeoutMs: 0 });
  reader.close();
  expect(busy).toMatchObject({
    exit_code: 5,
    databases: [{ status: "in_use", interactions: 300, metadata: 300 }],
    summary: "300 interactions deleted, not all erased; 1 in use.",
  });
  const repeated = await forgetData(path, { userId: ID, erase: true });
  expect(repeated.summary).toBe("0 interactions deleted and erased.");
  expect(filesWith(dirname(path), ID)).toEqual([]);
});

test("killed in the middle, the next run deletes and erases the rest", async () => {
  const path = longDatabase();
  await migrate(path, { backup: false });
  const words = ["forget", "--user", "u1", "--erase", "--yes", "--json", path];
  expect((await endWithOutput("interrupted_cli.ts", String(await stepOf()), "SIGKILL", ...words)).code).toBeNull();
  const left = remaining(path);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(ROWS / 3);
  expect(await forgetData(path, { userId: "u1", erase: true })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "done", interactions: left }],
  });
  using collector = new v16.MetricsCollector(path);
  expect(collector.getGlobalStats().total_interactions).toBe((ROWS / 3) * 2);
  expect(await verifyMigration(path)).toMatchObject({
    databases: [{ notes: ["the rollup agrees with the rows, for 2 users"] }],
  });
  expect(existsSync(path)).toBe(true);
});

test("another program records meanwhile", async () => {
  const path = longDatabase();
  await migrate(path, { backup: false });
  const writer = startNode("record_16", path, "late");
  await writer.more(1);
  const rows: number[] = [];
  const report = await forgetData(path, {
    userId: "u1",
    onProgress: ({ stage }) => stage === "forget" && rows.push(untilAnotherRow(path)),
  });
  expect(report).toMatchObject({ exit_code: 0, databases: [{ interactions: ROWS / 3 }] });
  expect(rows.length).toBeGreaterThan(1);
  expect(await writer.end()).toBe(0);
  using collector = new v16.MetricsCollector(path);
  expect(collector.getUserStats("late").total_operations).toBe(writer.recorded.length);
});

test("deletes the uses by an agent in databases of patterns, and leaves no byte with --erase", async () => {
  const folder = layOut();
  const path = join(folder, "patterns.db");
  const library = new v16.PatternLibrary();
  library.contribute("owner", { id: "p", pattern_type: "t", name: "n" });
  for (let use = 0; use < 900; use += 1) library.recordUsage("p", use % 3 === 0 ? "agent-7f3a" : "kept", true);
  v16.PatternPersistence.saveToSqlite(library, path);
  const before = stampOf(folder);
  const dry = await runProgram("forget", "--agent", "agent-7f3a", "--dry-run", folder);
  expect(dry.stdout).toContain("would delete: 300 uses of patterns");
  expect(stampOf(folder)).toBe(before);
  const { code, stdout } = await runProgram("forget", "--agent", "agent-7f3a", "--erase", "--yes", "--json", folder);
  const report = JSON.parse(stdout) as MaintenanceReport;
  expect(schemaErrorsOf("maintenance-report", report)).toEqual([]);
  expect(code).toBe(0);
  expect(report.summary).toBe("300 uses of patterns deleted and erased.");
  expect(report.databases.map(({ status, usage_rows: uses }) => [status, uses])).toEqual([
    ["nothing_to_do", 0],
    ["nothing_to_do", 0],
    ["done", 300],
  ]);
  expect(filesWith(folder, "agent-7f3a")).toEqual([]);
  expect(v16.PatternPersistence.loadFromSqlite(path).get("p")?.usage_count).toBe(600);
  expect(await runProgram("forget", "--agent", "a", "--user", "u", "--yes", folder)).toMatchObject({ code: 2 });
});
