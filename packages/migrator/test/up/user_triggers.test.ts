import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { downgradeMigration, type MigrationOptions, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { ALL_TABLES, isMerged, layoutSuite, rotated, useLayout } from "../layouts/layout_suite.ts";
import { MADE_UP_LAYOUT } from "../layouts/made_up_layouts.ts";
import {
  DOCUMENTED_15_WITH_NOTE,
  insertion,
  oldTable,
  type OldTable,
  optionsFor,
  spelled,
} from "../layouts/old_table.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import {
  connect,
  DOCUMENTED_15,
  FIELD_PATTERNS,
  makeDatabase,
  query,
} from "../../../../test/legacy/legacy_database.ts";

/** Objects of a user for a table: an index for full-text search, a log and a counter. */
const objectsOn = (table: string, column: string): string => `
  CREATE VIRTUAL TABLE words USING fts5(${column}, content='${table}', content_rowid='rowid');
  CREATE TABLE audit (number INTEGER PRIMARY KEY AUTOINCREMENT, what, of);
  CREATE TABLE counter (rows); INSERT INTO counter VALUES (0);
  CREATE TRIGGER words_i AFTER INSERT ON ${table} BEGIN
    INSERT INTO words(rowid, ${column}) VALUES (new.rowid, new.${column}); END;
  CREATE TRIGGER words_d AFTER DELETE ON ${table} BEGIN
    INSERT INTO words(words, rowid, ${column}) VALUES ('delete', old.rowid, old.${column}); END;
  CREATE TRIGGER words_u AFTER UPDATE ON ${table} BEGIN
    INSERT INTO words(words, rowid, ${column}) VALUES ('delete', old.rowid, old.${column});
    INSERT INTO words(rowid, ${column}) VALUES (new.rowid, new.${column}); END;
  CREATE TRIGGER log_i AFTER INSERT ON ${table} BEGIN INSERT INTO audit(what, of) VALUES ('insert', new.id); END;
  CREATE TRIGGER log_d AFTER DELETE ON ${table} BEGIN INSERT INTO audit(what, of) VALUES ('delete', old.id); END;
  CREATE TRIGGER log_u AFTER UPDATE ON ${table} BEGIN INSERT INTO audit(what, of) VALUES ('update', new.id); END;
  CREATE TRIGGER count_i AFTER INSERT ON ${table} BEGIN UPDATE counter SET rows = rows + 1; END;
  CREATE TRIGGER count_d AFTER DELETE ON ${table} BEGIN UPDATE counter SET rows = rows - 1; END;`;

/** Expects that an index agrees with its table, and that a counter does. */
function expectRight(path: string, table: string): void {
  const database = connect(path);
  database.exec("INSERT INTO words(words) VALUES ('integrity-check')");
  // With rank 1 the content of the table is compared as well.
  database.exec("INSERT INTO words(words, rank) VALUES ('integrity-check', 1)");
  database.close();
  expect(query(path, "SELECT rows FROM counter")).toEqual(query(path, `SELECT count(*) FROM ${table}`));
}

const found = (path: string, word: string): unknown[] =>
  query<[unknown]>(path, `SELECT rowid FROM words WHERE words MATCH '${word}' ORDER BY 1`).map(([id]) => id);

const logged = (path: string): unknown[] =>
  query<[string, unknown]>(path, "SELECT what, of FROM audit ORDER BY number").map(
    ([what, of]) => `${what} ${String(of)}`,
  );

const rowsOf = (path: string, table: string): unknown[] => query(path, `SELECT rowid, * FROM ${table} ORDER BY rowid`);

async function expectDone(path: string, options: MigrationOptions): Promise<string[]> {
  const plan = await planMigration(path, options);
  expect(plan).toMatchObject({ exit_code: 0, databases: [{ status: "planned" }] });
  const report = await migrate(path, options);
  expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(report.databases[0]?.notes).toEqual(plan.databases[0]?.notes);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
  return plan.databases[0]?.notes ?? [];
}

const FIRED = expect.stringMatching(
  /^your triggers fire .*words_d on .* \(writes words\).*log_d on .* \(writes audit\)/,
);

test("rows of interactions that go to quarantine and return", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    objectsOn("interactions", "user_id"),
    "INSERT INTO interactions (id, user_id, empathy_level, success) VALUES (1, 'anna one', 3, 1), (2, 'anna two', 9, 0), (3, 'ben', 4, 1)",
  );
  const before = rowsOf(path, "interactions");
  expect(await expectDone(path, { invalidRows: "quarantine" })).toEqual([FIRED]);
  expectRight(path, "interactions");
  expect(found(path, "anna")).toEqual([1n]);
  expect(logged(path).slice(3)).toEqual(["delete 2"]);
  const down = await downgradeMigration(path);
  expect(down).toMatchObject({
    exit_code: 0,
    databases: [
      {
        status: "downgraded",
        notes: expect.arrayContaining([expect.stringContaining("log_i on interactions (writes audit)")]),
      },
    ],
  });
  expectRight(path, "interactions");
  expect(found(path, "anna")).toEqual([1n, 2n]);
  expect(logged(path).slice(3)).toEqual(["delete 2", "insert 2"]);
  expect(rowsOf(path, "interactions")).toEqual(before);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
});

/** Objects without the index: its text has names that change. */
const withoutIndex = (old: OldTable): string =>
  spelled(
    old,
    objectsOn("metrics", "user_id").replaceAll(/CREATE VIRTUAL[^;]*;|CREATE TRIGGER words_[iud][\s\S]*?END;/g, ""),
  );

/** A row that is valid, or one whose response time is not a number. */
const row = (old: OldTable, id: number, user: string, isValid = true): string =>
  insertion(old, id, {
    user_id: `'${user}'`,
    level: "3",
    success: "1",
    response_time_ms: isValid ? "1.5" : "'slow'",
    metadata: `'m${id}'`,
  });

/** A layout in which every name differs. */
const STRICT = oldTable(MADE_UP_LAYOUT);

const quarantining = (old: OldTable): MigrationOptions => ({ ...optionsFor(old), invalidRows: "quarantine" });

layoutSuite((old) => {
  test("rows that go to quarantine and return", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(
      path,
      old.create,
      withoutIndex(old),
      spelled(
        old,
        "CREATE VIRTUAL TABLE own USING fts5(who); CREATE TRIGGER own_i AFTER INSERT ON metrics BEGIN INSERT INTO own(rowid, who) VALUES (new.id, new.user_id); END; CREATE TRIGGER own_d AFTER DELETE ON metrics BEGIN DELETE FROM own WHERE rowid = old.id; END",
      ),
      row(old, 1, "anna one"),
      row(old, 2, "anna two", false),
    );
    const before = rowsOf(path, old.table);
    const search = (): unknown[] => query(path, "SELECT rowid FROM own WHERE own MATCH 'anna' ORDER BY 1");
    await expectDone(path, quarantining(old));
    expect(query(path, "SELECT rows FROM counter")).toEqual([[1n]]);
    expect(search()).toEqual([[1n]]);
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(query(path, "SELECT rows FROM counter")).toEqual([[2n]]);
    expect(search()).toEqual([[1n], [2n]]);
    // Nothing is logged for a renamed table and its rebuilding.
    expect(logged(path)).toEqual(["insert 1", "insert 2", "delete 2", "insert 2"]);
    expect(rowsOf(path, old.table)).toEqual(before);
  });
});

test("patterns that go to quarantine and return", async () => {
  const path = join(freshFolder(), "p.db");
  makeDatabase(
    path,
    FIELD_PATTERNS,
    objectsOn("patterns", "name"),
    "CREATE TRIGGER log_usage AFTER DELETE ON pattern_usage BEGIN INSERT INTO audit(what, of) VALUES ('unused', old.pattern_id); END",
    "INSERT INTO patterns (id, agent_id, pattern_type, name, context) VALUES ('p1', 'a', 't', 'retry first', NULL), ('p2', 'a', 't', 'retry later', 'not json'); INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES ('p2', 'a', 1)",
  );
  const before = ["patterns", "pattern_usage"].map((table) => rowsOf(path, table));
  expect(await expectDone(path, { invalidRows: "quarantine" })).toEqual([FIRED]);
  expectRight(path, "patterns");
  expect(found(path, "retry")).toEqual([1n]);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expectRight(path, "patterns");
  expect(found(path, "retry")).toEqual([1n, 2n]);
  expect(logged(path).slice(2)).toEqual(["unused p2", "delete p2", "insert p2"]);
  expect(["patterns", "pattern_usage"].map((table) => rowsOf(path, table))).toEqual(before);
});

test("patterns whose values are repaired and restored", async () => {
  const path = join(freshFolder(), "p.db");
  makeDatabase(
    path,
    FIELD_PATTERNS,
    objectsOn("patterns", "context"),
    "INSERT INTO patterns (id, agent_id, pattern_type, name, context) VALUES ('p1', 'a', 't', 'n', '{\"x\": NaN}'), ('p2', 'a', 't', 'n', NULL)",
  );
  const before = rowsOf(path, "patterns");
  await expectDone(path, { nonFinite: "null" });
  expectRight(path, "patterns");
  expect([found(path, "nan"), found(path, "null")]).toEqual([[], [1n]]);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expectRight(path, "patterns");
  expect([found(path, "nan"), found(path, "null")]).toEqual([[1n], []]);
  expect(logged(path).slice(2)).toEqual(["update p1", "update p1"]);
  expect(rowsOf(path, "patterns")).toEqual(before);
});

test.each(ALL_TABLES.filter(isMerged))("rows that are merged from $table and split again", async (old) => {
  useLayout(old);
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15_WITH_NOTE,
    old.create,
    objectsOn("interactions", "user_id"),
    spelled(
      old,
      "CREATE TRIGGER both_i AFTER INSERT ON metrics BEGIN UPDATE counter SET rows = rows + 1; END; CREATE TRIGGER both_d AFTER DELETE ON metrics BEGIN UPDATE counter SET rows = rows - 1; END",
    ),
    "INSERT INTO interactions (id, user_id, empathy_level, success) VALUES (1, 'anna one', 3, 1)",
    row(old, 1, "anna two"),
    row(old, 2, "ben", false),
    row(old, 3, "anna three"),
  );
  const before = ["interactions", old.table].map((table) => rowsOf(path, table));
  await expectDone(path, quarantining(old));
  expectRight(path, "interactions");
  expect(found(path, "anna")).toHaveLength(3);
  expect(logged(path).slice(1)).toEqual(["insert 2", "insert 4"]);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(found(path, "anna")).toEqual([1n]);
  expect(query(path, "SELECT rows FROM counter")).toEqual([[4n]]);
  expect(["interactions", old.table].map((table) => rowsOf(path, table))).toEqual(before);
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
});

describe("triggers that must not or cannot fire", () => {
  const ROWS =
    "INSERT INTO interactions (id, user_id, empathy_level, success) VALUES (1, 'anna', 3, 1), (2, 'anna', 9, 0), (3, 'ben', 4, 1)";
  const OPTIONS = { invalidRows: "quarantine" } as const;
  const rows = (old: OldTable): string[] => [row(old, 1, "anna"), row(old, 2, "anna", false), row(old, 3, "ben")];

  const REFUSED: [what: string, body: string, named: RegExp][] = [
    [
      "raises an error",
      "BEFORE DELETE ON metrics BEGIN INSERT INTO setting VALUES (0); SELECT RAISE(ABORT, 'append only'); END",
      /keep on metrics.*append only/,
    ],
    [
      "ignores the row",
      "BEFORE DELETE ON metrics WHEN old.id = 2 BEGIN INSERT INTO setting VALUES (0); SELECT RAISE(IGNORE); END",
      /keep on metrics.*1 of 1 rows/,
    ],
    [
      "calls a function of an application",
      "AFTER DELETE ON metrics BEGIN INSERT INTO setting VALUES (of_application(old.id)); END",
      /keep on metrics.*of_application/,
    ],
    ["writes to a missing table", "AFTER DELETE ON metrics BEGIN INSERT INTO gone VALUES (old.id); END", /keep .*gone/],
    [
      "writes to a table that rejects it",
      "AFTER DELETE ON metrics BEGIN INSERT INTO strict_log VALUES (NULL); END",
      /keep on metrics.*strict_log/,
    ],
    [
      "reads a table",
      "AFTER DELETE ON metrics BEGIN INSERT INTO setting VALUES (0); SELECT RAISE(FAIL, 'locked') FROM setting WHERE locked; END",
      /keep on metrics.*locked/,
    ],
  ];

  test.each(rotated(REFUSED))("the plan names a trigger that %s", async (_what, body, named, old) => {
    useLayout(old);
    const folder = freshFolder();
    const path = join(folder, "m.db");
    makeDatabase(
      path,
      old.create,
      "CREATE TABLE strict_log (id NOT NULL); CREATE TABLE setting (locked); INSERT INTO setting VALUES (1)",
      ...rows(old),
      `CREATE TRIGGER keep ${spelled(old, body)}`,
    );
    const before = stampOf(folder);
    for (const command of [planMigration, migrate]) {
      const report = await command(path, quarantining(old));
      expect(report).toMatchObject({
        exit_code: 3,
        databases: [{ reason: expect.stringMatching(spelled(old, named.source)), decisions: [] }],
      });
      expect(stampOf(folder)).toBe(before);
    }
    expect(await planMigration(path, optionsFor(old))).toMatchObject({ databases: [{ decisions: [] }] });
    makeDatabase(path, "DROP TRIGGER keep");
    expect(await migrate(path, quarantining(old))).toMatchObject({ exit_code: 0 });
  });

  test("a trigger that reads a table in which nothing forbids the change", async () => {
    useLayout(STRICT);
    const path = join(freshFolder(), "m.db");
    makeDatabase(
      path,
      STRICT.create,
      "CREATE TABLE users (id); INSERT INTO users VALUES ('anna')",
      ...rows(STRICT),
      spelled(
        STRICT,
        "CREATE TRIGGER known BEFORE DELETE ON metrics WHEN NOT EXISTS (SELECT 1 FROM users WHERE id = old.user_id) BEGIN SELECT RAISE(ABORT, 'unknown'); END",
      ),
    );
    expect(await migrate(path, quarantining(STRICT))).toMatchObject({ exit_code: 0 });
  });

  test("a trigger that deletes rows of another table does not fire, and is named", async () => {
    useLayout(STRICT);
    const path = join(freshFolder(), "metrics.db");
    makeDatabase(
      path,
      STRICT.create,
      `CREATE TABLE notes (mid INTEGER, text);
       CREATE TRIGGER tidy AFTER DELETE ON ${STRICT.table} BEGIN DELETE FROM notes WHERE mid = old.id; END;
       INSERT INTO notes VALUES (1, 'kept'), (2, 'kept')`,
      row(STRICT, 1, "u", false),
      row(STRICT, 2, "u"),
    );
    const notes = await expectDone(path, quarantining(STRICT));
    expect(notes.join()).toContain("your trigger tidy does not fire");
    expect(notes.join()).toContain("because it deletes rows of notes");
    expect(rowsOf(path, "notes")).toHaveLength(2);
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(rowsOf(path, "notes")).toHaveLength(2);
    makeDatabase(path, `DELETE FROM ${STRICT.table} WHERE id = 1`);
    expect(rowsOf(path, "notes")).toHaveLength(1);
  });

  layoutSuite((old) => {
    test("fires nothing where tables and columns are only renamed", async () => {
      const path = join(freshFolder(), "m.db");
      makeDatabase(path, old.create, withoutIndex(old), row(old, 1, "anna"));
      const notes = await expectDone(path, optionsFor(old));
      expect(notes.filter((note) => /trigger/.test(note))).toEqual([]);
      const { exit_code, databases } = await downgradeMigration(path);
      expect(exit_code).toBe(0);
      expect(databases[0]?.notes.filter((note) => /trigger/.test(note))).toEqual([]);
      expect(logged(path)).toEqual(["insert 1"]);
    });
  });

  test.each([
    ["DELETE FROM interaction_metadata WHERE interaction_id = old.id", ""],
    ["UPDATE interactions SET timestamp = 'changed'", ""],
    ["INSERT INTO log VALUES (old.id); INSERT INTO relay VALUES (old.id)", "; bring log, relay up to date"],
  ])("does not fire a trigger that changes our tables, and names it: %s", async (body, words) => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(
      path,
      DOCUMENTED_15,
      "CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY REFERENCES interactions(id) ON DELETE CASCADE, metadata TEXT NOT NULL); CREATE TABLE log (id); CREATE TABLE relay (id)",
      ROWS,
      "INSERT INTO interaction_metadata VALUES (1, 'one'), (2, 'two')",
      `CREATE TRIGGER mine AFTER DELETE ON interactions BEGIN ${body}; END; CREATE TRIGGER relayed AFTER INSERT ON relay BEGIN DELETE FROM interactions WHERE id > new.id; END`,
    );
    const before = ["interactions", "interaction_metadata"].map((table) => rowsOf(path, table));
    const notes = await expectDone(path, OPTIONS);
    expect(notes).toEqual([expect.stringContaining("your trigger mine does not fire")]);
    expect(notes[0]).toContain(words);
    expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
    expect(["interactions", "interaction_metadata"].map((table) => rowsOf(path, table))).toEqual(before);
    expect(query(path, "SELECT count(*) FROM log")).toEqual([[0n]]);
  });

  test("names a full-text index that no trigger brings up to date", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(
      path,
      DOCUMENTED_15,
      "CREATE VIRTUAL TABLE words USING fts5(user_id, content='interactions', content_rowid='id')",
      ROWS,
      "INSERT INTO words(words) VALUES ('rebuild')",
    );
    const [note] = await expectDone(path, OPTIONS);
    const statement = /INSERT INTO .*$/.exec(note ?? "")?.[0] as string;
    makeDatabase(path, statement, "INSERT INTO words(words, rank) VALUES ('integrity-check', 1)");
    expect(found(path, "anna")).toEqual([1n]);
  });
});

const SILENT: [what: string, body: string, words: string | null][] = [
  ["only raises an error", "SELECT RAISE(ABORT, 'append only')", null],
  ["only reads", "SELECT of_application(old.id)", null],
  [
    "can run without end",
    "INSERT INTO audit SELECT (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n)",
    "because it has a common table expression, which can run without end; bring audit up to date",
  ],
  ["fires another that can run without end", "INSERT INTO relay VALUES (old.id)", "bring relay, audit up to date"],
];

test.each(rotated(SILENT))("a trigger that %s does not fire", async (_what, body, words, old) => {
  useLayout(old);
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(
    path,
    old.create,
    `CREATE TABLE audit (rows); CREATE TABLE relay (id);
     CREATE TRIGGER relayed AFTER INSERT ON relay BEGIN
       INSERT INTO audit SELECT (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n); END;
     CREATE TRIGGER mine AFTER DELETE ON ${old.table} BEGIN ${body}; END`,
    row(old, 1, "u", false),
    row(old, 2, "u"),
  );
  const notes = (await expectDone(path, quarantining(old))).filter((note) => note.includes("mine"));
  expect(notes).toEqual(words === null ? [] : [expect.stringContaining(words)]);
  expect(await downgradeMigration(path)).toMatchObject({ exit_code: 0 });
  expect(rowsOf(path, old.table)).toHaveLength(2);
});
