import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migrate } from "@perdura/migrator";
import { StateManager } from "@perdura/v15";
import { MetricsCollector, PatternLibrary, PatternPersistence } from "@perdura/v16";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { json } from "./json_schema.ts";
import { runProgram } from "./run_program.ts";
import { layOut } from "./sample_folder.ts";

/** A copy of a folder: patterns and states that are made in another second have other times. */
function copyOf(folder: string): string {
  const copy = freshFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

function change(path: string, sql: string): void {
  const database = new Sqlite(path);
  database.exec(sql);
  database.close();
}

/** The sample folder and a copy in which SQL has changed a database. */
function changedCopy(database: string, sql: string): [before: string, after: string] {
  const before = layOut();
  change(
    join(before, "metrics.db"),
    `INSERT INTO interaction_metadata VALUES (1, '{"tool":"x"}'), (3, '{"tool":"y"}');
     INSERT INTO interactions VALUES (10, 'alice', 3, 1, 70, '2026-01-06 10:00:00')`,
  );
  const after = copyOf(before);
  change(join(after, database), sql);
  return [before, after];
}

const compare = (...words: string[]) => runProgram(["compare", ...words]);

/** The last line without the names of the targets. */
async function wordsOf(before: string, after: string): Promise<{ code: number; words: string }> {
  const { code, stdout } = await compare(before, after, "--quiet");
  return { code, words: stdout.trimEnd().replace(/^.* (?:is missing in|differs from) \S+: /, "") };
}

const OTHERS = "3 patterns compared, all the same; 1 usage row of patterns compared, all the same";
const STATE = "1 state compared, all the same";

test.for([
  ["all metadata are gone", "DELETE FROM interaction_metadata", "2 changed"],
  [
    "the metadata of a row are others",
    "UPDATE interaction_metadata SET metadata = '{}' WHERE interaction_id = 3",
    "1 changed",
  ],
  ["the table of metadata is gone", "DROP TABLE interaction_metadata", "2 changed"],
  ["a row has got metadata", "INSERT INTO interaction_metadata VALUES (2, '{}')", "1 changed"],
  [
    "times have moved",
    "UPDATE interactions SET timestamp = datetime(timestamp, '+1 minute') WHERE id IN (1, 2)",
    "2 changed",
  ],
  [
    "two response times of a user are swapped",
    "UPDATE interactions SET response_time_ms = CASE id WHEN 1 THEN 80 ELSE 120 END WHERE id IN (1, 2)",
    "2 changed",
  ],
  ["a response time is gone", "UPDATE interactions SET response_time_ms = NULL WHERE id = 10", "1 changed"],
  ["the levels of two rows are swapped", "UPDATE interactions SET level = 7 - level WHERE id IN (1, 2)", "2 changed"],
  ["rows belong to another user", "UPDATE interactions SET user_id = 'Alice' WHERE id = 1", "1 changed"],
  [
    "rows are gone, and others have come",
    `DELETE FROM interactions WHERE user_id = 'alice' AND id > 1;
     INSERT INTO interactions SELECT value, 'alice', 4, 1, 30, '2026-02-01 10:00:00' FROM json_each('[20,21,22,23,24]')`,
    "3 missing, 5 added",
  ],
] as const)("compare finds rows that have changed: %s", async ([, sql, found]) => {
  const sides = changedCopy("metrics.db", sql);
  expect(await wordsOf(...sides)).toEqual({
    code: 4,
    words: `5 rows of metrics compared, ${found}; ${OTHERS}; ${STATE}.`,
  });
});

test("compare names the rows, the patterns and the uses that are not the same", async () => {
  const [before, after] = changedCopy(
    "metrics.db",
    `DELETE FROM interactions WHERE id = 2; UPDATE interactions SET level = 5, timestamp = '2026-01-01 00:00:00' WHERE id = 4;
     INSERT INTO interactions VALUES (11, 'carol', 1, 1, 1, '2026-02-01 00:00:00')`,
  );
  change(join(after, "patterns.db"), "UPDATE patterns SET code = 'x' WHERE id = 'split'; DELETE FROM pattern_usage");
  const { code, stdout } = await compare(before, after);
  expect(code).toBe(4);
  expect(stdout).toMatch(/metrics +each row +5 rows +3 the same, 1 missing, 1 changed, 1 added +missing/);
  expect(stdout).toMatch(/metrics +row 2 +user alice +missing/);
  expect(stdout).toMatch(/metrics +row 4 +user alice +other level, timestamp +changed/);
  expect(stdout).toMatch(/metrics +row 11 +user carol +added/);
  expect(stdout).toMatch(/patterns +pattern split +present +different +changed/);
  expect(stdout).toMatch(/patterns +usage row 1 +pattern retry +missing/);
  const document = json(await compare(before, after, "--json"));
  expect(document["compared"]).toEqual([
    {
      subject: "metrics",
      item: "row",

      before: 5,
      same: 3,
      missing: 1,
      changed: 1,
      quarantined: 0,
      added: 1,
    },
    {
      subject: "patterns",
      item: "pattern",

      before: 3,
      same: 2,
      missing: 0,
      changed: 1,
      quarantined: 0,
      added: 0,
    },
    {
      subject: "patterns",
      item: "usage row",

      before: 1,
      same: 0,
      missing: 1,
      changed: 0,
      quarantined: 0,
      added: 0,
    },
    {
      subject: "states",
      item: "state",

      before: 1,
      same: 1,
      missing: 0,
      changed: 0,
      quarantined: 0,
      added: 0,
    },
  ]);
  const page = join(after, "page.html");
  await compare(before, after, "--html", page);
  expect(readFileSync(page, "utf8")).toContain("5 rows of metrics compared, 1 missing, 1 changed, 1 added; 3 patterns");
});

test("compare names the first rows, and says how many more there are", async () => {
  const before = layOut();
  const path = join(before, "metrics.db");
  const ids = Array.from({ length: 50 }, (_, at) => at + 100);
  change(path, `INSERT INTO interactions SELECT value, 'u', 1, 1, 1, '2026-01-01' FROM json_each('[${ids.join()}]')`);
  const after = copyOf(before);
  change(join(after, "metrics.db"), "DELETE FROM interactions WHERE id >= 100");
  const { stdout } = await compare(before, after);
  expect(stdout.match(/^metrics +row \d+ /gm)).toHaveLength(20);
  expect(stdout).toMatch(/metrics +30 more rows +not listed +missing/);
});

test("added rows are not a difference", async () => {
  const sides = changedCopy(
    "metrics.db",
    "INSERT INTO interactions VALUES (11, 'carol', 1, 1, 1, '2026-02-01 00:00:00')",
  );
  expect(await wordsOf(...sides)).toEqual({
    code: 0,
    words: `5 rows of metrics compared, 1 added; ${OTHERS}; ${STATE}.`,
  });
});

test("ids beyond 2^53 are not confused", async () => {
  const [before, after] = changedCopy("metrics.db", "SELECT 1");
  for (const [folder, id] of [
    [before, "9007199254740993"],
    [after, "9007199254740992"],
  ] as const)
    change(join(folder, "metrics.db"), `INSERT INTO interactions VALUES (${id}, 'u', 1, 1, 1, '2026-02-01 00:00:00')`);
  const { code, stdout } = await compare(before, after);
  expect(code).toBe(4);
  expect(stdout).toMatch(/row 9007199254740993 +user u +missing/);
});

test("a member of a state that has no field of its own is compared", async () => {
  const before = freshFolder();
  const states = new StateManager(join(before, "state"));
  states.saveState("alice", { user_id: "alice", trust_level: 0.5, shared_context: { a: 1 } } as never);
  const after = copyOf(before);
  const path = join(after, "state", "alice.json");
  writeFileSync(path, readFileSync(path, "utf8").replace('"a": 1', '"a": 2'));
  expect(await wordsOf(before, after)).toEqual({ code: 4, words: "1 state compared, 1 changed." });
});

test("a document has no usage rows", async () => {
  const before = layOut();
  rmSync(join(before, "metrics.db"));
  rmSync(join(before, "state"), { recursive: true });
  const after = join(freshFolder(), "patterns.json");
  PatternPersistence.saveToJson(PatternPersistence.loadFromSqlite(join(before, "patterns.db")), after);
  expect(await wordsOf(before, after)).toEqual({
    code: 4,
    words: "3 patterns compared, all the same; 1 usage row of patterns compared, 1 missing.",
  });
});

/** Targets without data of perdura. */
const NOTHING: Record<string, (folder: string) => string> = {
  "an empty folder": (folder) => folder,
  "a folder with other files": (folder) => {
    writeFileSync(join(folder, "notes.txt"), "notes");
    return folder;
  },
  "a file of another program": (folder) => {
    writeFileSync(join(folder, "passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    return join(folder, "passwd");
  },
  "a database without rows": (folder) => {
    new MetricsCollector(join(folder, "metrics.db")).close();
    return join(folder, "metrics.db");
  },
  "a library without patterns": (folder) => {
    PatternPersistence.saveToJson(new PatternLibrary(), join(folder, "patterns.json"));
    return join(folder, "patterns.json");
  },
  "a damaged database": (folder) => {
    writeFileSync(join(folder, "metrics.db"), Buffer.alloc(3000, "\u0001damaged"));
    return join(folder, "metrics.db");
  },
  "a folder with a damaged database": (folder) => {
    writeFileSync(join(folder, "metrics.db"), Buffer.alloc(3000, "\u0001damaged"));
    return folder;
  },
};

test.for(Object.keys(NOTHING))("%s is nothing to compare with", async (kind) => {
  const target = NOTHING[kind]?.(freshFolder()) as string;
  const page = join(freshFolder(), "page.html");
  const { code, stdout, stderr } = await compare(target, layOut(), "--html", page);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain(`found nothing to compare in ${target}.`);
  if (kind.includes("damaged")) expect(stderr).toMatch(/metrics\.db: Cannot read the file: /);
  expect((await compare(target, target)).code).toBe(1);
  expect((await compare(layOut(), target)).code).toBe(4);
});

/** A migrated home from which rows have been lost since. */
async function lossySinceMigration(): Promise<string> {
  const home = freshFolder();
  copyFileSync(new URL("../../../fixtures/legacy/field-a.db", import.meta.url), join(home, "metrics.db"));
  expect((await migrate(home, { invalidRows: "quarantine" })).exit_code).toBe(0);
  change(join(home, "metrics.db"), "DELETE FROM interactions WHERE id > 1");
  return home;
}

test("a backup that is named is read like a database, also in a folder with backups only", async () => {
  const home = await lossySinceMigration();
  const backup = join(home, "metrics.db.v15.bak");
  const [copies, renamed] = [freshFolder(), join(freshFolder(), "renamed.db")];
  copyFileSync(backup, join(copies, "metrics.db.v15.bak"));
  copyFileSync(backup, renamed);
  const other = await wordsOf(renamed, join(home, "metrics.db"));
  expect(other.code).toBe(4);
  expect(other.words).toMatch(/^\d+ rows of metrics compared, \d+ missing/);
  for (const before of [backup, copies, join(copies, "metrics.db.v15.bak")])
    for (const after of [home, join(home, "metrics.db")]) expect(await wordsOf(before, after)).toEqual(other);
  expect(await wordsOf(copies, backup)).toMatchObject({
    code: 0,
    words: expect.stringContaining("all the same") as string,
  });
  expect((await runProgram(["metrics", "show", backup])).code).toBe(0);
});

test("of several backups of a database in a folder the newest is read, and next to data none", async () => {
  const home = await lossySinceMigration();
  const copies = freshFolder();
  copyFileSync(join(home, "metrics.db.v15.bak"), join(copies, "metrics.db.v15.bak"));
  copyFileSync(join(home, "metrics.db"), join(copies, "metrics.db.v15.2.bak"));
  expect(await wordsOf(copies, home)).toMatchObject({ code: 0, words: expect.stringMatching(/^1 row of/) as string });
  expect(await wordsOf(home, home)).toMatchObject({ code: 0, words: expect.stringMatching(/^1 row of/) as string });
  // A home whose database is gone is not complete because of its backup.
  const library = new PatternLibrary();
  PatternPersistence.saveToSqlite(library, join(copies, "patterns.db"));
  expect((await compare(home, copies)).code).toBe(4);
});

test("a backup of a library in JSON is read like the library", async () => {
  const folder = freshFolder();
  const library = new PatternLibrary();
  for (const id of ["a", "b"]) library.contribute("agent", { id, pattern_type: "t", name: id });
  PatternPersistence.saveToJson(library, join(folder, "patterns.json.v15.bak"));
  library.patterns.delete("a");
  const after = freshFolder();
  mkdirSync(join(after, "data"));
  PatternPersistence.saveToJson(library, join(after, "data", "patterns.json"));
  for (const before of [folder, join(folder, "patterns.json.v15.bak")])
    expect(await wordsOf(before, after)).toEqual({ code: 4, words: "2 patterns compared, 1 missing." });
});

test("rows of patterns that are not patterns are missed, and may be changed by a migration", async () => {
  const before = layOut();
  change(join(before, "patterns.db"), "UPDATE patterns SET tags = 'no JSON' WHERE id = 'cache'");
  const [without, repaired] = [copyOf(before), copyOf(before)];
  expect((await compare(before, without)).code).toBe(0);
  change(join(without, "patterns.db"), "DELETE FROM patterns WHERE id = 'cache'");
  expect((await wordsOf(before, without)).words).toContain("3 patterns compared, 1 missing;");
  change(join(repaired, "patterns.db"), "UPDATE patterns SET tags = '[]' WHERE id = 'cache'");
  expect((await compare(before, repaired)).code).toBe(0);
  const { code, words } = await wordsOf(repaired, before);
  expect([code, words]).toEqual([4, expect.stringContaining("3 patterns compared, 1 changed;")]);
});

test("states of the same user in several directories are compared each", async () => {
  const before = freshFolder();
  for (const name of ["one", "two"])
    new StateManager(join(before, name, "state")).saveState("alice", { user_id: "alice", trust_level: 0.5 });
  const [migrated, without] = [copyOf(before), copyOf(before)];
  expect((await migrate(migrated)).exit_code).toBe(0);
  rmSync(join(migrated, "one", "state"), { recursive: true });
  expect(await wordsOf(before, migrated)).toEqual({ code: 0, words: "2 states compared, all the same." });
  rmSync(join(without, "one", "state"), { recursive: true });
  expect(await wordsOf(before, without)).toEqual({ code: 4, words: "2 states compared, 1 missing." });
});

test("rows that cannot be read are reported, also if the sums can", async () => {
  const [before, after] = changedCopy("metrics.db", "PRAGMA journal_mode = DELETE");
  const path = join(after, "metrics.db");
  const database = new Sqlite(path);
  const page = database.pragma("page_size", { simple: true }) as number;
  const root = database
    .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'interaction_metadata'")
    .pluck()
    .get() as number;
  database.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, (root - 1) * page, root * page);
  writeFileSync(path, bytes);
  expect((await runProgram(["metrics", "users", after])).code).toBe(0);
  for (const sides of [
    [before, after],
    [after, before],
  ] as const) {
    const { code, stdout } = await compare(...sides);
    expect(code).toBe(4);
    expect(stdout).toMatch(/metrics\.db +cannot be read/);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("1 path cannot be read.");
  }
});

test("metrics in an unknown layout are not skipped in silence", async () => {
  const before = layOut();
  change(
    join(before, "metrics.db"),
    "ALTER TABLE interactions RENAME COLUMN level TO empathy_level; ALTER TABLE interactions RENAME COLUMN success TO succeeded",
  );
  const after = copyOf(before);
  const { code, stdout } = await compare(before, after);
  expect(code).toBe(4);
  expect(stdout).toMatch(/metrics\.db +cannot be read/);
  const { code: alone, stderr } = await compare(join(before, "metrics.db"), after);
  expect([alone, stderr]).toEqual([1, expect.stringContaining("found nothing to compare in ")]);
});
