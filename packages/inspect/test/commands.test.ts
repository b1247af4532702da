import { cpSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector as Collector15, StateManager } from "@perdura/v15";
import { MetricsCollector, PatternLibrary, PatternPersistence } from "@perdura/v16";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { stampsOf } from "../../../test/tree_stamp.ts";
import { json, schemaErrors } from "./json_schema.ts";
import { runProgram } from "./run_program.ts";
import { layOut } from "./sample_folder.ts";

test("without a command it shows everything, and writes nothing", async () => {
  const folder = layOut();
  const before = stampsOf(folder);
  const { code, stdout, stderr } = await runProgram(["."], { cwd: folder });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stampsOf(folder)).toEqual(before);
  expect(stdout).toMatch(/^metrics\.db {2}.*documented layout of version 16; read by 16\+$/m);
  expect(stdout).toContain("4 operations of 2 users, 2026-01-05 to 2026-01-12 (UTC)");
  expect(stdout).toContain("success rate 75.0 %, mean response time 60 ms");
  expect(stdout).toContain("3 patterns of 2 agents in 1 type");
  expect(stdout).toContain("1 state; mean trust 0.75");
  expect(stdout).toMatch(/2 databases, 1 state directory\.\n$/);
});

test("metadata without an interaction are reported", async () => {
  const path = join(freshFolder(), "metrics.db");
  const collector = new MetricsCollector(path);
  for (let row = 0; row < 3; row += 1) collector.recordMetric("u", true, 1, { row });
  collector.close();
  const other = new Sqlite(path);
  other.exec("DROP TRIGGER perdura_metadata_delete; PRAGMA foreign_keys = OFF; DELETE FROM interactions WHERE id < 3");
  other.close();
  expect((await runProgram([path])).stdout).toContain("2 metadata texts without an interaction");
  const summary = json(await runProgram([path, "--json"]));
  expect(schemaErrors(summary)).toEqual([]);
  expect(summary).toMatchObject({ databases: [{ orphaned_metadata: 2 }] });
  const page = `${path}.html`;
  await runProgram([path, "--html", page]);
  expect(readFileSync(page, "utf8")).toContain("2 metadata texts without an interaction");
});

test("--json prints the whole summary, --quiet one line", async () => {
  const folder = layOut();
  const summary = json(await runProgram([folder, "--json"]));
  expect(summary).toMatchObject({
    format: "perdura-summary-1",
    databases: [
      {
        metrics: {
          operations: 4,
          levels: [1, 0, 1, 2, 0],
          trend: { bucket: "day", periods: [{ period: "2026-01-05" }, { period: "2026-01-12" }] },
          top_users: [
            { user_id: "alice", trust: 0.5, trust_trajectory: [0.45, 0.5] },
            { user_id: "bob", trust: 0.55, trust_trajectory: [null, 0.55] },
          ],
        },
      },
      {
        patterns: {
          patterns: 3,
          by_agent: [
            { name: "reviewer", patterns: 2 },
            { name: "planner", patterns: 1 },
          ],
        },
      },
    ],
    state_directories: [{ states: 1, top_states: [{ user_id: "alice", current_level: 4 }] }],
  });
  expect((await runProgram([folder, "--quiet"])).stdout).toBe("2 databases, 1 state directory.\n");
});

test("the overview breaks operations down by the keys of their metadata", async () => {
  const folder = freshFolder();
  const path = join(folder, "metrics.db");
  const collector = new MetricsCollector(path);
  for (let call = 0; call < 12; call += 1)
    collector.recordMetric("alice", call % 4 > 0, 100, { tool: call % 2 ? "fetch" : "search", call, cost: 0.5 });
  collector.close();
  const summary = json(await runProgram([folder, "--json"])) as { databases: { metrics: unknown }[] };
  expect(summary.databases[0]?.metrics).toMatchObject({
    breakdowns: [
      {
        key: "tool",
        values: [
          { value: "fetch", total_operations: 6, success_rate: 1, p95: 100 },
          { value: "search", total_operations: 6, success_rate: 0.5 },
        ],
      },
    ],
  });
  expect((await runProgram([folder])).stdout).toMatch(/^ *tool +operations +success.*\n.*fetch +6 +100\.0 %/m);
  // Declared keys, and their numbers, come instead of found ones.
  new MetricsCollector(path, { breakdown: { keys: ["call"], numbers: ["cost"] } }).close();
  const { metrics } = json(await runProgram(["metrics", "show", folder, "--json"])) as {
    metrics: { breakdowns: { key: string; values: { numbers: object }[] }[] };
  };
  expect(metrics.breakdowns).toMatchObject([{ key: "call" }]);
  expect(metrics.breakdowns[0]?.values).toHaveLength(11);
  expect(metrics.breakdowns[0]?.values.at(-1)).toMatchObject({ others: 2, total_operations: 2 });
  expect(metrics.breakdowns[0]?.values[0]?.numbers).toEqual({ cost: { count: 1, sum: 0.5, mean: 0.5 } });
});

test("a database of the pre-16 line has the same figures", async () => {
  const folder = freshFolder();
  const collector = new Collector15(join(folder, "metrics.db"));
  collector.recordMetric("alice", 2, true, 5);
  collector.close();
  expect(json(await runProgram(["metrics", "show", folder, "--json"]))).toMatchObject({
    metrics: { operations: 1, levels: [0, 1, 0, 0, 0] },
  });
});

test("an unreadable database is listed with its reason, and the exit code is 1", async () => {
  const folder = layOut();
  writeFileSync(join(folder, "metrics.db"), "not a database, but 17 bytes and more");
  const { code, stdout } = await runProgram([folder]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/metrics\.db {2}cannot be read: /);
  expect(stdout).toContain("1 unreadable.");
});

test("patterns list filters, patterns show prints every field", async () => {
  const folder = layOut();
  const ids = async (...words: string[]) =>
    (json(await runProgram(["patterns", "list", folder, "--json", ...words]))["patterns"] as { id: string }[]).map(
      ({ id }) => id,
    );
  expect(await ids()).toEqual(["retry", "cache", "split"]);
  expect(await ids("--agent", "reviewer")).toEqual(["retry", "cache"]);
  expect(await ids("--agent", "reviewer", "--agent", "planner", "--min-confidence", "0.7")).toEqual(["retry", "split"]);
  expect(await ids("--tag", "api", "--tag", "net")).toEqual(["retry"]);
  expect(await ids("--type", "other")).toEqual([]);
  expect(await ids("--limit", "1")).toEqual(["retry"]);
  const shown = await runProgram(["patterns", "show", folder, "retry"]);
  expect(shown.stdout).toMatch(/^tags +\["api","net"\]$/m);
  expect((await runProgram(["patterns", "show", folder, "absent"])).stderr).toBe(
    `perdura-inspect: ${join(folder, "patterns.db")}: no pattern "absent". See perdura-inspect patterns show --help.\n`,
  );
});

test("patterns are copied between formats, and duplicates and conflicts are reported", async () => {
  const folder = layOut();
  const run = (...words: string[]) => runProgram(words, { cwd: folder });
  expect((await run("patterns", "export", "patterns.db", "some.json", "--agent", "reviewer")).stdout).toBe(
    "some.json: 2 patterns added.\n",
  );
  expect((await run("patterns", "export", "patterns.db", "some.json")).stdout).toBe(
    "some.json: 1 pattern added, 2 duplicates unchanged.\n",
  );
  expect((await run("patterns", "import", "some.json", "other.db")).stdout).toBe("other.db: 3 patterns added.\n");
  const other = PatternPersistence.loadFromSqlite(join(folder, "other.db"));
  expect(other.patterns).toEqual(PatternPersistence.loadFromSqlite(join(folder, "patterns.db")).patterns);
  const changed = new PatternLibrary();
  changed.contribute("reviewer", { id: "retry", pattern_type: "behaviour", name: "Another name" });
  changed.contribute("planner", { id: "new", pattern_type: "behaviour", name: "New" });
  PatternPersistence.saveToJson(changed, join(folder, "changed.json"));
  const before = readFileSync(join(folder, "other.db"));
  expect(await run("patterns", "import", "changed.json", "other.db")).toEqual({
    code: 3,
    stdout: "",
    stderr:
      'perdura-inspect: other.db has other patterns with the same ids: "retry". Nothing was written. Use --on-conflict keep or --on-conflict replace.\n',
  });
  expect(readFileSync(join(folder, "other.db"))).toEqual(before);
  expect((await run("patterns", "import", "changed.json", "other.db", "--on-conflict", "keep")).stdout).toBe(
    "other.db: 1 pattern added, 1 other pattern kept.\n",
  );
  expect((await run("patterns", "import", "changed.json", "other.db", "--on-conflict", "replace")).stdout).toBe(
    "other.db: 0 patterns added, 1 pattern replaced, 1 duplicate unchanged.\n",
  );
  expect(PatternPersistence.loadFromSqlite(join(folder, "other.db")).get("retry")?.name).toBe("Another name");
  expect((await run("patterns", "export", "patterns.db", "patterns.db")).code).toBe(2);
});

test("a pattern with NaN is shown, and left out of a copy, which would change it", async () => {
  const folder = freshFolder();
  const library = new PatternLibrary();
  for (const id of ["whole", "other"])
    library.contribute("a", { id, pattern_type: "t", name: "n", context: { value: 1 } });
  const path = join(folder, "library.json");
  PatternPersistence.saveToJson(library, path);
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(/"value": 1(?=[^]*"other")|("value": 1)(?![^]*"value": 1)/, '"value": NaN'),
  );
  const listed = await runProgram(["patterns", "list", path, "--json"]);
  expect(json(listed)).toMatchObject({ found: 2, invalid: 0 });
  expect((await runProgram(["patterns", "export", path, "copy.db"], { cwd: folder })).stdout).toBe(
    "copy.db: 1 pattern added, 1 invalid row of the source left out.\n",
  );
});

test("a row of the target that is not a pattern is a conflict, and only replaced on request", async () => {
  const folder = layOut();
  const database = new Sqlite(join(folder, "patterns.db"));
  database.exec("UPDATE patterns SET tags = 'no JSON' WHERE id = 'cache'");
  const library = new PatternLibrary();
  library.contribute("reviewer", { id: "cache", pattern_type: "behaviour", name: "New" });
  PatternPersistence.saveToJson(library, join(folder, "new.json"));
  const run = (...words: string[]) =>
    runProgram(["patterns", "import", "new.json", "patterns.db", ...words], { cwd: folder });
  const tags = database.prepare("SELECT tags FROM patterns WHERE id = 'cache'").pluck();
  expect((await run()).code).toBe(3);
  expect((await run("--on-conflict", "keep")).stdout).toBe("patterns.db: 0 patterns added, 1 other pattern kept.\n");
  expect(tags.get()).toBe("no JSON");
  expect((await run("--on-conflict", "replace")).stdout).toBe("patterns.db: 0 patterns added, 1 pattern replaced.\n");
  expect(tags.get()).toBe(null);
  database.close();
});

test("compare reports what cannot be read on either side", async () => {
  const [before, after] = [layOut(), layOut()];
  truncateSync(join(before, "metrics.db"), 4096);
  for (const sides of [
    [before, after],
    [after, before],
  ] as const) {
    const { code, stdout } = await runProgram(["compare", ...sides]);
    expect(code).toBe(4);
    expect(stdout).toMatch(/metrics\.db +cannot be read/);
  }
});

test("metrics users, metrics trend and metrics export", async () => {
  const folder = layOut();
  const run = (...words: string[]) => runProgram(["metrics", ...words], { cwd: folder });
  expect((await run("users", ".", "--limit", "1")).stdout).toMatch(
    /alice +3 +66\.7 %.*\n\n2 users in metrics\.db\. The first 1 are listed\.\n$/,
  );
  const trend = json(
    await run("trend", ".", "--user", "alice", "--bucket", "month", "--since", "2026-01-06", "--json"),
  );
  expect(trend).toMatchObject({
    user_id: "alice",
    bucket: "month",
    periods: [{ period: "2026-01-01", total_operations: 1, trust: 0.5 }],
  });
  expect((await run("trend", ".", "--until", "2026-01-06")).stdout).toMatch(/^2026-01-05 +2 +50\.0 %/m);
  expect((await run("trend", ".", "--user", "nobody")).stderr).toContain('no operations of the user "nobody"');
  expect((await run("export", ".", "all.csv")).stdout).toBe("Wrote 4 operations of metrics.db to all.csv.\n");
  expect(readFileSync(join(folder, "all.csv"), "utf8").trimEnd().split("\n")).toHaveLength(5);
});

test("metrics breakdown shows which tool fails and what it costs", async () => {
  const folder = freshFolder();
  const old = new Collector15(join(folder, "metrics.db"));
  for (const cost of [0.25, 0.5]) old.recordMetric("alice", 1, true, 100, { tool: "search", cost });
  old.recordMetric("bob", 1, false, 3000, { tool: "fe\u001btch", cost: 1000 });
  old.recordMetric("bob", 1, true, 10);
  old.close();
  const run = (...words: string[]) => runProgram(["metrics", "breakdown", ...words], { cwd: folder });
  const { stdout } = await run(".", "tool", "--sum", "cost");
  expect(stdout).toMatch(/^tool +operations +success +response +p50 +p95 +p99 +cost$/m);
  expect(stdout).toMatch(/^search +2 +100\.0 % .* 0\.75$/m);
  expect(stdout).toMatch(/^fe.{1,8}tch +1 +0\.0 % .* 1,000$/m);
  expect(stdout).toMatch(/^\(none\) +1 +100\.0 % /m);
  expect(stdout).toMatch(/\n3 values of tool in 4 operations in metrics\.db\.\n$/);
  expect((await run(".", "tool", "--limit", "1")).stdout).toMatch(/^\(2 other values\) +2 +50\.0 % /m);
  expect((await run(".", "tool", "--user", "bob", "--since", "2020-01-01")).stdout).toContain("2 operations of bob");
  expect(json(await run(".", "tool", "--limit", "1", "--json"))).toMatchObject({
    key: "tool",
    values: [{ value: "search", p95: 100 }, { others: 2 }],
  });
  expect((await run(".", "")).code).toBe(2);
});

test("state list and state show read directories", async () => {
  const folder = layOut();
  expect((await runProgram(["state", "list", folder], { cwd: folder })).stdout).toMatch(/^alice +0\.75 +4/m);
  expect(json(await runProgram(["state", "show", folder, "alice", "--json"]))).toMatchObject({
    state: { user_id: "alice", trust_level: 0.75, valid: true },
  });
  expect((await runProgram(["state", "show", folder, "nobody"])).code).toBe(2);
});

test("directories whose names resemble commands are read", async () => {
  const folder = freshFolder();
  for (const name of ["states", "state"])
    new StateManager(join(folder, name)).saveState("alice", { user_id: "alice", trust_level: 0.5 });
  expect((await runProgram(["states"], { cwd: folder })).stdout).toContain("1 state directory.");
  expect(await runProgram(["state"], { cwd: folder })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      "state needs a command: list or show. For a path with this name, write ./state.",
    ) as string,
  });
  expect((await runProgram(["./state"], { cwd: folder })).stdout).toContain("1 state directory.");
});

test("a path with several databases needs a decision, one without any is refused", async () => {
  const folder = layOut();
  new MetricsCollector(join(folder, "second.db")).close();
  expect(await runProgram(["metrics", "show", "."], { cwd: folder })).toMatchObject({
    code: 3,
    stderr: "perdura-inspect: . contains 2 databases with metrics: metrics.db, second.db. Name one of them.\n",
  });
  expect(await runProgram(["state", "list", join(folder, "metrics.db")])).toMatchObject({ code: 2 });
  expect((await runProgram(["absent"], { cwd: folder })).stderr).toMatch(/^perdura-inspect: .*absent: no such file/);
});

test("the document of each command matches the schema, and other documents do not", async () => {
  const folder = layOut();
  const run = (...words: string[]) => runProgram([...words, "--json"], { cwd: folder });
  json(await run("metrics", "users", "."));
  json(await run("metrics", "export", ".", "all.jsonl"));
  json(await run("state", "list", "."));
  json(await run("patterns", "show", ".", "retry"));
  json(await run("patterns", "export", "patterns.db", "copy.json"));
  const comparison = json(await run("compare", ".", "."));
  expect(schemaErrors({ ...comparison, complete: "yes" })).not.toEqual([]);
  expect(schemaErrors({ ...comparison, other: 1 })).not.toEqual([]);
});

test("compare finds every difference, and its exit code says if something is missing", async () => {
  // A copy: patterns and states that are made in another second have other times.
  const [before, after] = [layOut(), freshFolder()];
  cpSync(before, after, { recursive: true });
  expect((await runProgram(["compare", before, after])).code).toBe(0);
  const metrics = new MetricsCollector(join(after, "metrics.db"));
  metrics.recordInteraction("carol", 1, true, 1);
  metrics.close();
  const library = PatternPersistence.loadFromSqlite(join(after, "patterns.db"));
  library.patterns.delete("cache");
  PatternPersistence.saveToSqlite(library, join(after, "patterns.db"), { mode: "replace" });
  const { code, stdout } = await runProgram(["compare", before, after]);
  expect(code).toBe(4);
  expect(stdout).toMatch(/metrics +operations +4 +5 +added/);
  expect(stdout).toMatch(/metrics +operations at level 1 +\d +\d +added/);
  expect(stdout).toMatch(/metrics +row 5 +user carol +added/);
  expect(stdout).toMatch(/patterns +pattern cache +present +missing/);
});
