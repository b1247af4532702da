import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PatternPersistence } from "@perdura/v16";
import { expect, test } from "vitest";
import { migrationStatus, planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { wholeContent } from "../support/whole_content.ts";
import { addPatterns, type FieldRow } from "./field_patterns.ts";

const row = (id: string, unusual: FieldRow = {}): FieldRow => ({
  id,
  agent_id: "a",
  pattern_type: "t",
  name: "n",
  ...unusual,
});
const NAN = { context: '{"a": NaN}' };
const LIST = { context: "[]" };
const QUARANTINE = { invalidRows: "quarantine" } as const;

function libraryOf(...rows: FieldRow[]): string {
  const path = join(freshFolder(), "p.db");
  addPatterns(
    path,
    rows,
    rows.map(({ id }) => ({ pattern_id: id, agent_id: "u", success: 1 })),
  );
  return path;
}

function execute(path: string, sql: string): void {
  const database = connect(path);
  database.exec(sql);
  database.close();
}

test("does not report unreadable patterns as verified or done", async () => {
  const path = libraryOf(row("p"), row("q", NAN));
  const before = stampOf(join(path, ".."));
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 4,
    databases: [{ status: "differs", reason: expect.stringContaining("Version 16 cannot read 1 pattern") }],
  });
  expect(await migrationStatus(path)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "planned", unusual_rows: [{ kind: "pattern_non_finite", row_ids: ["q"] }] }],
  });
  expect(await planMigration(path)).toMatchObject({ exit_code: 3 });
  expect(stampOf(join(path, ".."))).toBe(before);
  expect(await migrate(path, { nonFinite: "null" })).toMatchObject({ exit_code: 0 });
  execute(path, "UPDATE patterns SET last_used = 'soon' WHERE id = 'p'");
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 4,
    databases: [{ verification: { differences: [expect.stringContaining("version 16 cannot read 1 pattern")] } }],
  });
  expect(await migrate(path)).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
});

test("names a context that version 16 cannot save, in a database and in a document", async () => {
  const context = `${'{"a":'.repeat(1001)}1${"}".repeat(1001)}`;
  const database = libraryOf(row("p"), row("deep", { context }));
  const document = join(freshFolder(), "library.json");
  writeFileSync(
    document,
    `{"patterns": [${JSON.stringify(row("p"))}, {"id": "deep", "agent_id": "a", "pattern_type": "t", "name": "n", "context": ${context}}]}`,
  );
  const named = { status: "refused", unusual_rows: [{ kind: "pattern_too_deep", row_ids: ["deep"] }] };
  const choice = { pattern_choices: [{ invalid_rows: "quarantine", quarantined: 1 }] };
  expect(await planMigration(database)).toMatchObject({ exit_code: 3, databases: [{ ...named, ...choice }] });
  expect(await planMigration(document)).toMatchObject({ exit_code: 3, databases: [named] });
  const [before, bytes] = [wholeContent(database), readFileSync(document)];
  for (const path of [database, document]) {
    expect(await migrate(path, QUARANTINE)).toMatchObject({ exit_code: 0 });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  }
  for (const library of [PatternPersistence.loadFromSqlite(database), PatternPersistence.loadFromJson(document)]) {
    expect([...library.patterns.keys()]).toEqual(["p"]);
    PatternPersistence.saveToSqlite(library, join(freshFolder(), "library.db"));
  }
  for (const path of [database, document]) expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(database)).toEqual(before);
  expect(readFileSync(document)).toEqual(bytes);
});

test("offers no new ids where a downgrade could not restore the former ones", async () => {
  const path = join(freshFolder(), "p.db");
  addPatterns(path, []);
  const [sql] = query(path, "SELECT sql FROM sqlite_schema WHERE name = 'patterns'").flat() as [string];
  execute(path, `DROP TABLE patterns; ${sql.replace(/confidence \w+/, "confidence TEXT")}`);
  addPatterns(path, [row("")]);
  const { databases } = await planMigration(path);
  expect(databases).toMatchObject([{ status: "refused", decisions: ["quarantine"] }]);
  expect(databases[0]?.pattern_choices.map(({ pattern_ids: ids }) => ids)).toEqual([null]);
  expect(await migrate(path, QUARANTINE)).toMatchObject({ exit_code: 0 });
});

test("quarantines usage with its pattern, unless another pattern has the id; fires triggers", async () => {
  const path = join(freshFolder(), "p.db");
  addPatterns(path, []);
  // Without a key, an id can occur twice.
  execute(
    path,
    "CREATE TABLE other AS SELECT * FROM patterns; DROP TABLE patterns; ALTER TABLE other RENAME TO patterns",
  );
  addPatterns(
    path,
    [row("twice"), row("list", LIST), row("twice", { name: "second" })],
    ["twice", "list", "list"].map((id) => ({ pattern_id: id, agent_id: "u", success: 1 })),
  );
  execute(
    path,
    "CREATE TABLE my_log (a); CREATE TRIGGER my_trigger AFTER DELETE ON patterns BEGIN INSERT INTO my_log VALUES (OLD.id); END",
  );
  const before = wholeContent(path);
  expect(await migrate(path, QUARANTINE)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT id, name FROM patterns")).toEqual([["twice", "n"]]);
  expect(query(path, "SELECT pattern_id FROM pattern_usage")).toEqual([["twice"]]);
  expect(query(path, "SELECT perdura_source, perdura_reason, id, pattern_id FROM perdura_quarantine")).toEqual([
    ["patterns", "context has the wrong type", "list", null],
    ["patterns", "another pattern has the same id", "twice", null],
    ["pattern_usage", "its pattern is in quarantine", 2n, "list"],
    ["pattern_usage", "its pattern is in quarantine", 3n, "list"],
  ]);
  expect(query(path, "SELECT * FROM my_log ORDER BY 1")).toEqual([["list"], ["twice"]]);
  execute(path, "DELETE FROM my_log");
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test("refuses if a table of the user refers to a pattern to be quarantined", async () => {
  const path = libraryOf(row("p"), row("q", LIST));
  makeDatabase(
    path,
    "CREATE TABLE favourites (pattern TEXT REFERENCES patterns(id)); INSERT INTO favourites VALUES ('q')",
  );
  expect(await migrate(path, QUARANTINE)).toMatchObject({
    exit_code: 3,
    databases: [{ reason: expect.stringContaining("1 row of your table favourites refers to rows") }],
  });
  execute(path, "UPDATE favourites SET pattern = 'p'");
  expect(await migrate(path, QUARANTINE)).toMatchObject({ exit_code: 0 });
});

test("gives ids to patterns; their usage follows, and returns with the former ids", async () => {
  const path = libraryOf(row(""), row("a\0b", NAN), row("pattern-1"), row("c\0"));
  execute(
    path,
    "PRAGMA foreign_keys = OFF; INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES ('pattern-2', 'missing', 0)",
  );
  execute(path, "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES (NULL, 'a', 't', 'without')");
  const before = wholeContent(path);
  expect((await planMigration(path)).databases[0]?.pattern_choices[0]).toMatchObject({
    pattern_ids: "assign",
    non_finite: "null",
    invalid_rows: "abort",
  });
  expect(await migrate(path, { patternIds: "assign", nonFinite: "text" })).toMatchObject({ exit_code: 0 });
  const ids = ["pattern-3", "a%00b", "pattern-1", "c%00", "pattern-4"];
  expect([...PatternPersistence.loadFromSqlite(path).patterns.keys()]).toEqual(ids);
  expect(query(path, "SELECT pattern_id FROM pattern_usage ORDER BY id").flat()).toEqual([
    ...ids.slice(0, 4),
    "pattern-2",
  ]);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test("gives numbers and blobs the ids that a person would give them; usage follows, and returns", async () => {
  for (const pattern of ["TEXT", ""])
    for (const usage of ["TEXT", "", "BLOB"])
      for (const end of ["", " WITHOUT ROWID"]) {
        const path = join(freshFolder(), "p.db");
        const values = pattern === "" ? [...NUMBERS, ...BLOBS] : BLOBS;
        makeDatabase(
          path,
          "PRAGMA foreign_keys = OFF",
          `CREATE TABLE patterns (id ${pattern} PRIMARY KEY, agent_id ${pattern} NOT NULL, pattern_type TEXT NOT NULL, name TEXT NOT NULL)${end}`,
          `CREATE TABLE pattern_usage (id INTEGER PRIMARY KEY, pattern_id ${usage} REFERENCES patterns(id), agent_id TEXT, success BOOLEAN)`,
          "INSERT INTO patterns VALUES ('taken', 'bot', 't', 'n')",
          ...values.flatMap(([value]) => [
            `INSERT INTO patterns VALUES (${value}, CAST('bot' AS BLOB), 't', ${`'${value.replaceAll("'", "")}'`})`,
            `INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES (${value}, 'u', 1)`,
          ]),
          "INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES ('gone', 'u', 1), (x'ff', 'u', 1)",
        );
        const before = wholeContent(path);
        const ids = values.map(([, id]) => id);
        const [{ decisions, unusual_rows: rows } = { decisions: [], unusual_rows: [] }] = (await planMigration(path))
          .databases;
        expect(decisions).toContain("repair");
        expect(rows.flatMap(({ ways = [] }) => ways.map(({ result }) => result))).toContain(
          "becomes its text in UTF-8 if that is free, otherwise its bytes in hexadecimal",
        );
        expect(await migrate(path, { patternIds: "assign", saveReport: false })).toMatchObject({ exit_code: 0 });
        expect(query(path, "SELECT id FROM patterns ORDER BY id").flat()).toEqual([...ids, "taken"].toSorted());
        expect(query(path, "SELECT DISTINCT agent_id FROM patterns")).toEqual([["bot"]]);
        expect(query(path, "SELECT pattern_id FROM pattern_usage ORDER BY id").flat()).toEqual([
          ...ids,
          "gone",
          Buffer.from([255]),
        ]);
        const { patterns } = PatternPersistence.loadFromSqlite(path);
        expect([...patterns.keys()].toSorted()).toEqual([...ids, "taken"].toSorted());
        expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
        const back = await downgradeMigration(path, { saveReport: false });
        expect(back).toMatchObject({ exit_code: 0, databases: [{ reason: null }] });
        expect(wholeContent(path)).toEqual(before);
      }
});

/** Numbers as ids, each with the id that it gets: its text in SQLite. */
const NUMBERS = [
  ["5", "5"],
  ["9007199254740993", "9007199254740993"],
  ["1.5", "1.5"],
  ["7.0", "7.0"],
  ["1e300", "1.0e+300"],
] as const;

/** Blobs as ids, each with the id that it gets. */
const BLOBS = [
  ["x'6162'", "ab"],
  ["x'c3a9'", "é"],
  ["CAST('taken' AS BLOB)", "74616b656e"],
  ["CAST('gone' AS BLOB)", "676f6e65"],
  ["x'00112233445566778899aabbccddeeff'", "00112233445566778899aabbccddeeff"],
  ["x'610a'", "610a"],
  ["x''", "pattern-1"],
] as const;

test("finds changes of repaired patterns and their usage in the proof of a migration", async () => {
  const path = libraryOf(row(""), row("p"));
  makeDatabase(
    path,
    "CREATE TABLE my_log (a); CREATE TRIGGER my_trigger AFTER UPDATE ON pattern_usage BEGIN INSERT INTO my_log VALUES (1); SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER my_other BEFORE UPDATE ON patterns BEGIN INSERT INTO my_log VALUES (2); SELECT RAISE(IGNORE); END",
  );
  const before = wholeContent(path);
  expect(await migrate(path, { patternIds: "assign" })).toMatchObject({ exit_code: expect.toSatisfy((n) => n !== 0) });
  expect(wholeContent(path)).toEqual(before);
});

test("gives no id to a pattern that a table of the user refers to, or whose former id is taken", async () => {
  const path = libraryOf(row(""), row("p"));
  makeDatabase(
    path,
    "CREATE TABLE favourites (pattern TEXT REFERENCES patterns(id)); INSERT INTO favourites VALUES ('')",
  );
  expect(await migrate(path, { patternIds: "assign" })).toMatchObject({
    exit_code: 3,
    databases: [{ reason: expect.stringContaining("refers to rows that would get other ids") }],
  });
  execute(path, "DELETE FROM favourites");
  expect(await migrate(path, { patternIds: "assign" })).toMatchObject({ exit_code: 0 });
  execute(path, "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('', 'a', 't', 'new')");
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 3,
    databases: [{ reason: expect.stringContaining("Cannot restore the id '' of the pattern 'pattern-1'") }],
  });
});

test("quarantines rows of a table without row ids by their exact ids", async () => {
  const path = join(freshFolder(), "p.db");
  addPatterns(
    path,
    [row("p"), { ...row(""), id: Buffer.from("p") }, { ...row(""), id: Buffer.from([255]) }],
    [],
    "no row id",
  );
  execute(
    path,
    "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES (CAST(x'70ff' AS TEXT), 'a', 't', 'n')",
  );
  const before = wholeContent(path);
  expect(await migrate(path, QUARANTINE)).toMatchObject({ exit_code: 0 });
  expect([...PatternPersistence.loadFromSqlite(path).patterns.keys()]).toEqual(["p"]);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test("tries to write patterns also in a table without row ids", async () => {
  const path = join(freshFolder(), "p.db");
  addPatterns(path, [row("p")], [], "no row id");
  makeDatabase(path, "CREATE TRIGGER my_wall BEFORE INSERT ON patterns BEGIN SELECT RAISE(ABORT, 'closed'); END");
  expect(await planMigration(path)).toMatchObject({
    exit_code: 3,
    databases: [{ reason: expect.stringContaining("my_wall") }],
  });
});

test("a downgrade does not overwrite later changes", async () => {
  const path = libraryOf(row("p", NAN), row("q", { ...NAN, last_used: "2024-03-10T02:30:00Z" }), row("list", LIST));
  expect(await migrate(path, { ...QUARANTINE, nonFinite: "text", timestamps: "utc" })).toMatchObject({ exit_code: 0 });
  const library = PatternPersistence.loadFromSqlite(path);
  const changed = library.get("p");
  if (changed !== undefined) changed.context = { mine: 1 };
  library.contribute("a", { id: "list", pattern_type: "t", name: "corrected" });
  library.contribute("a", { id: "new", pattern_type: "t", name: "n" });
  library.recordUsage("new", "a", true);
  PatternPersistence.saveToSqlite(library, path);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 3,
    databases: [{ reason: expect.stringContaining("Cannot restore the pattern 'list' from perdura_quarantine") }],
  });
  execute(path, "DELETE FROM perdura_quarantine WHERE id = 'list'");
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [{ notes: ["1 repaired value of patterns was changed in version 16 and is not restored"] }],
  });
  expect(query(path, "SELECT id, name, context, last_used FROM patterns ORDER BY rowid")).toEqual([
    ["p", "n", '{"mine":1}', null],
    ["q", "n", '{"a": NaN}', "2024-03-10T02:30:00Z"],
    ["list", "corrected", null, null],
    ["new", "n", null, expect.any(String)],
  ]);
  expect(query(path, "SELECT pattern_id FROM pattern_usage ORDER BY id")).toEqual([["p"], ["q"], ["list"], ["new"]]);
  expect(query(path, "SELECT name FROM sqlite_schema WHERE name LIKE 'perdura%'")).toEqual([]);
});

test("reports a library that another program saves meanwhile as in use, and does not change it", async () => {
  const folder = freshFolder();
  const path = join(folder, "patterns.json");
  writeFileSync(
    path,
    `{"patterns": [{"id": "p", "agent_id": "a", "pattern_type": "t", "name": "n", "context": {"a": NaN}}]}`,
  );
  const saved = '{"patterns": [], "agent_contributions": {}}';
  const report = await migrate(path, {
    nonFinite: "null",
    onProgress: ({ stage }) => {
      if (stage === "change") writeFileSync(path, saved);
    },
  });
  expect(report).toMatchObject({ exit_code: 5, databases: [{ status: "in_use", backup: null }] });
  expect(PatternPersistence.loadFromJson(path).size).toBe(0);
  expect(readdirSync(folder)).toEqual(["patterns.json"]);
});
