import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { PatternPersistence } from "@perdura/v16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { connect, FIELD_PATTERNS, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { downgradeMigration, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { RUNS } from "../properties/runs.ts";
import { freshFolder } from "../support/folder.ts";
import { runPrintedStatements } from "../support/printed_statements.ts";
import { wholeContent } from "../support/whole_content.ts";

const withType = (sql: string, column: string, type: string): string =>
  sql.replaceAll(new RegExp(`^(    ${column}) [A-Z]+`, "gm"), `$1 ${type}`);

test("plan names columns of other types, and missing ones are added", async () => {
  const path = join(freshFolder(), "p.db");
  makeDatabase(
    path,
    `CREATE TABLE patterns (id VARCHAR(40) PRIMARY KEY, agent_id TEXT NOT NULL, pattern_type TEXT NOT NULL, name NUMERIC NOT NULL,
      confidence TEXT, usage_count TEXT);
    INSERT INTO patterns VALUES ('p', 'a', 't', 7, '0.90', '3.0'), ('q', 'a', 't', 'n', 'high', 4), ('r', 'a', 't', 'n', NULL, NULL)`,
  );
  const before = wholeContent(path);
  const { databases } = await planMigration(path);
  expect(databases[0]).toMatchObject({ status: "refused", unusual_rows: [{ rows: 1, row_ids: ["q"] }] });
  expect(databases[0]?.notes).toEqual([
    "patterns: name is declared NUMERIC: version 16 would store the text '007' as the number 7",
    "patterns: confidence is declared TEXT: version 16 would store 12.5 as the text '12.5'",
    "patterns: usage_count is declared TEXT: version 16 would store 4 as the text '4.0'",
  ]);
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  expect(
    query(path, "SELECT id, name, confidence, typeof(usage_count), usage_count, tags, updated_at FROM patterns"),
  ).toEqual([
    ["p", "7", 0.9, "integer", 3n, null, null],
    ["r", "n", null, "null", null, null, null],
  ]);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  const copy = `${path}.used`;
  copyFileSync(path, copy);
  const library = PatternPersistence.loadFromSqlite(copy);
  expect([...library.patterns.keys()]).toEqual(["p", "r"]);
  library.contribute("a", { id: "007", pattern_type: "t", name: "08", tags: ["x"] });
  PatternPersistence.saveToSqlite(library, copy);
  expect(PatternPersistence.loadFromSqlite(copy).patterns.get("007")).toEqual(library.patterns.get("007"));
  expect(query(copy, "SELECT updated_at IS NOT NULL FROM patterns WHERE id = '007'")).toEqual([[1n]]);
  expect((await downgradeMigration(copy, { saveReport: false })).databases[0]?.reason).toMatch(
    /has no column tags, and 1 row of version 16 has a value there/,
  );
  expect(await downgradeMigration(path, { backup: false })).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test("a key by which SQLite stores the rows is refused with the statements to run, which make the way free", async () => {
  const path = join(freshFolder(), "p.db");
  makeDatabase(
    path,
    withType(FIELD_PATTERNS, "id", "INTEGER"),
    "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES (7, 'a', 't', 'n')",
  );
  const [report] = (await migrate(path)).databases;
  expect(report).toMatchObject({ status: "refused", reason: expect.stringContaining("is the INTEGER key") });
  expect(runPrintedStatements(path, report?.reason)).toBe(true);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect([...PatternPersistence.loadFromSqlite(path).patterns.keys()]).toEqual(["7"]);
});

test("patterns of a table whose name has capital letters return from the quarantine", async () => {
  const path = join(freshFolder(), "p.db");
  makeDatabase(
    path,
    FIELD_PATTERNS.replaceAll(/\bpatterns\b/g, '"Patterns"'),
    "INSERT INTO patterns (id, agent_id, pattern_type, name, tags) VALUES ('p', 'a', 't', 'n', '{}'), ('q', 'a', 't', 'n', NULL)",
  );
  const before = wholeContent(path);
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  expect([...PatternPersistence.loadFromSqlite(path).patterns.keys()]).toEqual(["q"]);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0, databases: [{ reason: null }] });
  expect(wholeContent(path)).toEqual(before);
});

test("a table of patterns without a key gets a unique index, so that 16 can save", async () => {
  const path = join(freshFolder(), "p.db");
  const insert = "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('p', 'a', 't', 'n')";
  makeDatabase(
    path,
    "PRAGMA foreign_keys = OFF",
    FIELD_PATTERNS.replace("id TEXT PRIMARY KEY", "id TEXT"),
    insert,
    insert,
  );
  const before = wholeContent(path);
  expect(await migrate(path)).toMatchObject({ exit_code: 3, databases: [{ unusual_rows: [{ rows: 1 }] }] });
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  expect(await planMigration(path)).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
  const copy = `${path}.used`;
  copyFileSync(path, copy);
  const library = PatternPersistence.loadFromSqlite(copy);
  PatternPersistence.saveToSqlite(library, copy);
  expect(library.size).toBe(1);
  expect(await downgradeMigration(path, { backup: false })).toMatchObject({ exit_code: 0 });
  expect(wholeContent(path)).toEqual(before);
});

test("a key that takes different ids for equal is refused with the statements to run", async () => {
  const path = join(freshFolder(), "p.db");
  makeDatabase(path, FIELD_PATTERNS.replace("id TEXT PRIMARY KEY", "id TEXT COLLATE NOCASE PRIMARY KEY"));
  const [report] = (await migrate(path)).databases;
  expect(report).toMatchObject({ status: "refused", reason: expect.stringContaining("has the collation NOCASE") });
  expect(runPrintedStatements(path, report?.reason)).toBe(true);
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
});

test.each([
  ["NUMERIC", "5.0", "TEXT", "'5.0'", {}],
  ["REAL", "5", "TEXT", "'5.0'", {}],
  ["REAL", "5", "", "5.0", {}],
  ["INTEGER", "'5'", "", "5.0", {}],
  ["TEXT", "'5.0'", "REAL", "5", {}],
  ["TEXT", "'5.5'", "NUMERIC", "5.5", {}],
  ["", "5", "", "5.0", { patternIds: "assign" }],
  ["", "5.0", "", "5", { patternIds: "assign" }],
] as const)(
  "usage keeps its pattern, with the statements of plan: id %s %s, usage %s %s",
  async (type, id, of, used, options) => {
    const path = join(freshFolder(), "p.db");
    makeDatabase(
      path,
      FIELD_PATTERNS.replace("id TEXT PRIMARY KEY", `id ${type} UNIQUE`).replace("pattern_id TEXT", `pattern_id ${of}`),
      `INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES (${id}, 'a', 't', 'n'), ('q', 'a', 't', 'n')`,
      `INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES (${used}, 'a', 1), ('q', 'a', 0)`,
    );
    const linked = "SELECT p.rowid, u.id FROM patterns AS p, pattern_usage AS u WHERE p.id = +u.pattern_id ORDER BY 1";
    expect(query(path, linked)).toHaveLength(2);
    const [refused] = (await planMigration(path, options)).databases;
    expect(refused).toMatchObject({
      status: "refused",
      reason: expect.stringMatching(/ in another form|its text is not known/),
    });
    expect((await migrate(path, options)).databases).toMatchObject([{ status: "refused", reason: refused?.reason }]);
    expect(runPrintedStatements(path, refused?.reason)).toBe(true);
    expect(query(path, linked)).toHaveLength(2);
    const before = wholeContent(path);
    expect(await planMigration(path, options)).toMatchObject({ exit_code: 0, databases: [{ status: "planned" }] });
    expect(await migrate(path, options)).toMatchObject({ exit_code: 0 });
    expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    expect(query(path, linked)).toHaveLength(2);
    expect(query(path, "PRAGMA foreign_key_check")).toEqual([]);
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(wholeContent(path)).toEqual(before);
  },
);

const COLUMNS = {
  patterns: [
    "id",
    "agent_id",
    "pattern_type",
    "name",
    "description",
    "code",
    "confidence",
    "usage_count",
    "failure_count",
  ],
  pattern_usage: ["pattern_id", "agent_id", "success"],
};
const TYPES = ["TEXT", "VARCHAR(20)", "REAL", "", "BLOB", "NUMERIC(10, 2)", "any thing", "DOUBLE"];
const types = (columns: readonly string[]): fc.Arbitrary<Record<string, string>> =>
  fc.dictionary(fc.constantFrom(...columns), fc.constantFrom(...TYPES), { maxKeys: 4 });
const texts = fc.constantFrom("'a'", "'007'", "7", "'1e3'", "'12'", "1.5");
const numbers = fc.constantFrom("0", "1", "'3'", "'3.0'", "4.0", "0.25", "'0.250'", "NULL", "'x'", "12345678901234567");
/** Other numbers would break a reference between a column of text and one of numbers before the migration. */
const ids = fc.constantFrom("'a'", "'b'", "'12'", "7", "'x y'");
const pattern = fc.tuple(ids, texts, texts, texts, numbers, numbers, numbers);
const OPTIONAL = [
  "description",
  "context",
  "code",
  "failure_count",
  "tags",
  "discovered_at",
  "last_used",
  "updated_at",
];

test("any types of columns are migrated, saved into, verified, and restored exactly", async () => {
  const folder = freshFolder();
  let run = 0;
  let migrated = 0;
  await fc.assert(
    fc.asyncProperty(
      types(COLUMNS.patterns),
      types(COLUMNS.pattern_usage),
      fc.subarray(OPTIONAL, { maxLength: 3 }),
      fc.uniqueArray(pattern, { maxLength: 8, selector: ([one]) => one }),
      fc.boolean(),
      async (ofPatterns, ofUsage, missing, rows, backup) => {
        mkdirSync(join(folder, String((run += 1))));
        const path = join(folder, String(run), "p.db");
        const statements = FIELD_PATTERNS.split(";").slice(0, 2);
        const typed = [ofPatterns, ofUsage].map((declared, index) =>
          Object.entries(declared).reduce(
            (sql, [column, type]) => withType(sql, column, type),
            index === 0
              ? missing.reduce((sql, name) => sql.replace(new RegExp(`    ${name} .*\\n`), ""), statements[0] as string)
              : (statements[1] as string),
          ),
        );
        const database = connect(path);
        database.pragma("foreign_keys = OFF");
        for (const sql of typed) database.exec(sql.replace(/,\s*\)$/, ")"));
        database.exec("CREATE INDEX my_index ON patterns(confidence, agent_id)");
        database.exec("CREATE VIEW my_view AS SELECT id, usage_count FROM patterns WHERE confidence > 0.1");
        for (const [id, agent, type, name, confidence, used, failed] of rows) {
          const columns = ["id", "agent_id", "pattern_type", "name", "confidence", "usage_count"];
          database.exec(
            `INSERT INTO patterns (${columns.join(", ")}) VALUES (${[id, agent, type, name, confidence, used].join(", ")})`,
          );
          database.exec(
            `INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES (${id}, ${agent}, ${failed} IS NULL)`,
          );
        }
        database.close();
        const before = wholeContent(path);
        const [report] = (await migrate(path, { invalidRows: "quarantine", saveReport: false })).databases;
        if (report?.status === "refused") {
          expect(report.reason).toMatch(
            /pattern_usage, the column agent_id is a number that is not an integer|table pattern_usage refers? to/,
          );
          return;
        }
        expect(report?.reason).toBe(null);
        expect(report).toMatchObject({ status: "migrated", verification: { differences: [] } });
        migrated += 1;
        expect((await planMigration(path)).databases[0]).toMatchObject({ status: "nothing_to_do", unusual_rows: [] });
        const copy = `${path}.used`;
        copyFileSync(path, copy);
        const library = PatternPersistence.loadFromSqlite(copy);
        library.contribute("0815", { id: "0x7", pattern_type: "01", name: "1.50", confidence: 0.3, usage_count: 2 });
        library.recordUsage("0x7", "0815", true);
        PatternPersistence.saveToSqlite(library, copy);
        expect([...PatternPersistence.loadFromSqlite(copy).patterns]).toEqual([...library.patterns]);
        expect(
          query(
            copy,
            "SELECT typeof(pattern_id), typeof(agent_id), success FROM pattern_usage ORDER BY id DESC LIMIT 1",
          ),
        ).toEqual([["text", "text", 1n]]);
        expect((await verifyMigration(path)).exit_code).toBe(0);
        const down = await downgradeMigration(path, { backup, saveReport: false });
        expect(down.databases[0]?.reason).toBe(null);
        expect(wholeContent(path)).toEqual(before);
      },
    ),
    { numRuns: 30 * RUNS },
  );
  expect(migrated).toBeGreaterThan(15);
});
