import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

describe.for(LINES)("pattern databases in $name", ({ line }) => {
  const { PatternLibrary, PatternPersistence, isPerduraError } = line;

  const named = (...ids: string[]) => {
    const library = new PatternLibrary();
    for (const id of ids) library.contribute("agent", { id, pattern_type: "t", name: `name of ${id}` });
    return library;
  };
  const ids = (path: string): string[] => [...PatternPersistence.loadFromSqlite(path).patterns.keys()];
  const query = <Row>(path: string, sql: string): Row[] => {
    const database = new Database(path);
    try {
      return database.prepare(sql).all() as Row[];
    } finally {
      database.close();
    }
  };
  const execute = (path: string, sql: string): void => {
    const database = new Database(path);
    try {
      database.exec(sql);
    } finally {
      database.close();
    }
  };
  const temporaryDatabase = (): string => join(freshFolder(), "patterns.db");

  test("are read without regard to the case of column names", () => {
    const path = temporaryDatabase();
    const columns =
      "ID, Agent_Id, PATTERN_TYPE, name, description, CONTEXT, code, confidence, usage_count, success_count, failure_count, TAGS, discovered_at, last_used";
    execute(
      path,
      `CREATE TABLE patterns (${columns}, updated_at); INSERT INTO patterns (${columns}) VALUES ('p', 'a', 't', 'n', NULL, '{}', NULL, 0.5, 0, 0, 0, '[]', NULL, NULL)`,
    );
    expect(PatternPersistence.loadFromSqlite(path).get("p")).toMatchObject({ agent_id: "a", context: {}, tags: [] });
  });

  test("have the tables, defaults, indexes and key of the specification", () => {
    const path = temporaryDatabase();
    PatternPersistence.saveToSqlite(new PatternLibrary(), path);
    execute(
      path,
      "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('p', 'a', 't', 'n'); INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES ('p', 'a', 1)",
    );
    expect(
      query(
        path,
        "SELECT confidence, usage_count, success_count, failure_count, tags, discovered_at, updated_at IS NOT NULL AS stamped FROM patterns",
      ),
    ).toEqual([
      {
        confidence: 0.5,
        usage_count: 0,
        success_count: 0,
        failure_count: 0,
        tags: null,
        discovered_at: null,
        stamped: 1,
      },
    ]);
    expect(query(path, "SELECT id, used_at IS NOT NULL AS stamped FROM pattern_usage")).toEqual([
      { id: 1, stamped: 1 },
    ]);
    expect(
      query(
        path,
        "SELECT m.name, i.name AS column FROM sqlite_schema AS m, pragma_index_info(m.name) AS i WHERE m.sql IS NOT NULL AND m.type = 'index' ORDER BY 1",
      ),
    ).toEqual([
      { name: "idx_patterns_agent", column: "agent_id" },
      { name: "idx_patterns_confidence", column: "confidence" },
      { name: "idx_patterns_type", column: "pattern_type" },
    ]);
    expect(query(path, 'SELECT "table", "from", "to" FROM pragma_foreign_key_list(\'pattern_usage\')')).toEqual([
      { table: "patterns", from: "pattern_id", to: "id" },
    ]);
    for (const column of ["id", "agent_id", "pattern_type", "name"]) {
      const values = ["id", "agent_id", "pattern_type", "name"].map((each) => (each === column ? "NULL" : "'x'"));
      expect(() =>
        execute(path, `INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES (${values.join(", ")})`),
      ).toThrow(/NOT NULL/);
    }
  });

  test("are merged by default: rows that are not in the library are kept, equal rows keep their updated_at", () => {
    const path = temporaryDatabase();
    PatternPersistence.saveToSqlite(named("a", "b"), path);
    execute(path, "UPDATE patterns SET updated_at = '2000-01-01 00:00:00'");
    const second = named("c", "b");
    (second.get("b") as { name: string }).name = "changed";
    PatternPersistence.saveToSqlite(second, path);
    expect(ids(path)).toEqual(["a", "b", "c"]);
    const rows = query<{ id: string; name: string; old: number }>(
      path,
      "SELECT id, name, updated_at = '2000-01-01 00:00:00' AS old FROM patterns ORDER BY rowid",
    );
    expect(rows.map(({ old }) => old)).toEqual([1, 0, 0]);
    expect(rows[1]?.name).toBe("changed");
  });

  test("are saved without a result, as the specification says, unless options ask for the numbers", () => {
    const path = temporaryDatabase();
    expect(PatternPersistence.saveToSqlite(named("a"), path)).toBeUndefined();
    expect(PatternPersistence.saveToSqlite(named("a"), path, {})).toMatchObject({ patterns: 1 });
  });

  test("are made equal to the library by replace, including the order, and lose the usage of removed patterns", () => {
    const path = temporaryDatabase();
    const first = named("a", "b", "c");
    for (const id of ["a", "a", "b"]) first.recordUsage(id, "agent", true);
    expect(PatternPersistence.saveToSqlite(first, path, {})).toEqual({
      patterns: 3,
      usageRows: 3,
      removedPatterns: 0,
      removedUsageRows: 0,
    });
    expect(PatternPersistence.saveToSqlite(named("c", "b", "d"), path, { mode: "replace" })).toEqual({
      patterns: 3,
      usageRows: 0,
      removedPatterns: 1,
      removedUsageRows: 2,
    });
    expect(ids(path)).toEqual(["c", "b", "d"]);
    expect(query(path, "SELECT pattern_id FROM pattern_usage")).toEqual([{ pattern_id: "b" }]);
    expect(query(path, "PRAGMA foreign_key_check")).toEqual([]);
  });

  test("get each recorded use once, with its counters, and none when the save fails", () => {
    const path = temporaryDatabase();
    const library = named("p");
    library.recordUsage("p", "user-agent", false);
    library.contribute("agent", { id: "bad", pattern_type: "t", name: "\ud800" });
    expect(() => PatternPersistence.saveToSqlite(library, path)).toThrow(/"bad".*name.*lone surrogate/);
    expect(existsSync(path)).toBe(false);
    expect(library.pendingUsage).toHaveLength(1);
    library.patterns.delete("bad");
    PatternPersistence.saveToSqlite(library, path);
    PatternPersistence.saveToSqlite(library, path);
    expect(query(path, "SELECT pattern_id, agent_id, success FROM pattern_usage")).toEqual([
      { pattern_id: "p", agent_id: "user-agent", success: 0 },
    ]);
    expect(PatternPersistence.loadFromSqlite(path).get("p")).toMatchObject({
      usage_count: 1,
      success_count: 0,
      failure_count: 1,
      confidence: 0.5,
    });
  });

  test("of older programs get the indexes and keep everything else", () => {
    const path = temporaryDatabase();
    execute(
      path,
      `CREATE TABLE patterns (id TEXT PRIMARY KEY, agent_id TEXT NOT NULL, pattern_type TEXT NOT NULL, name TEXT NOT NULL, description TEXT,
         context TEXT, code TEXT, confidence REAL DEFAULT 0.5, usage_count INTEGER DEFAULT 0, success_count INTEGER DEFAULT 0,
         failure_count INTEGER DEFAULT 0, tags TEXT, discovered_at TIMESTAMP, last_used TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
       INSERT INTO patterns (id, agent_id, pattern_type, name, context, tags, discovered_at) VALUES ('old', 'a', 't', 'n', '{"\\u00e9": 1.0}', '["x"]', '2025-01-15T10:30:00.500000');
       CREATE TABLE other (x); INSERT INTO other VALUES (1)`,
    );
    expect(PatternPersistence.loadFromSqlite(path).get("old")).toMatchObject({
      context: { é: 1 },
      tags: ["x"],
      discovered_at: "2025-01-15T10:30:00.500000",
    });
    PatternPersistence.saveToSqlite(named("new"), path);
    expect(ids(path)).toEqual(["old", "new"]);
    expect(query(path, "SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'idx_patterns_%'")).toEqual([{ n: 3 }]);
    expect(query(path, "SELECT x FROM other")).toEqual([{ x: 1 }]);
  });

  test("that are missing cause a FileNotFoundError, and nothing is created", () => {
    const path = temporaryDatabase();
    expect(() => PatternPersistence.loadFromSqlite(path)).toThrow(
      expect.objectContaining({ name: "FileNotFoundError", path }),
    );
    expect(existsSync(path)).toBe(false);
  });

  test.for([
    [
      "a text file",
      (path: string) => writeFileSync(path, "not a database, but long enough to have a header".repeat(9)),
      /not an SQLite database/,
    ],
    ["an empty file", (path: string) => writeFileSync(path, ""), /no table "patterns"/],
    ["a directory", (path: string) => mkdirSync(path), /found a directory/],
    ["a database without patterns", (path: string) => execute(path, "CREATE TABLE other (x)"), /no table "patterns"/],
    [
      "a view called patterns",
      (path: string) => execute(path, "CREATE VIEW patterns AS SELECT 1 AS id"),
      /no table "patterns"/,
    ],
    [
      "a table without the columns",
      (path: string) => execute(path, "CREATE TABLE patterns (id TEXT, agent_id TEXT)"),
      /lacks "pattern_type"/,
    ],
    ["a cut-off database", (path: string) => cutInHalf(path), /damaged|not an SQLite/],
  ] as const)("replaced by %s cause a CorruptDataError, and nothing is changed", ([, make, reason]) => {
    const path = temporaryDatabase();
    make(path);
    const before = readIfFile(path);
    try {
      PatternPersistence.loadFromSqlite(path);
      expect.unreachable();
    } catch (error) {
      if (!isPerduraError(error, "PERDURA_CORRUPT_DATA")) throw error;
      expect(error.path).toBe(path);
      expect(error.message).toContain(path);
      expect(error.message).toMatch(reason);
    }
    expect(readIfFile(path)).toEqual(before);
  });

  function cutInHalf(path: string): void {
    PatternPersistence.saveToSqlite(named(...Array.from({ length: 400 }, (_, index) => `p${index}`)), path);
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, 4096 * 4 + 100));
  }

  function readIfFile(path: string): Buffer | undefined {
    try {
      return readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EISDIR") return undefined;
      throw error;
    }
  }

  test.for([
    ["context", "'{\"a\": NaN}'", /context.*NaN/],
    ["context", "'[1]'", /context: expected object/],
    ["tags", "'[1]'", /tags\/0: expected string/],
    ["confidence", "'high'", /confidence: expected number/],
    ["usage_count", "9007199254740993", /usage_count/],
    ["last_used", "'yesterday'", /last_used: expected a zone-less/],
    ["name", "CAST(x'ff41' AS TEXT)", /not UTF-8/],
    ["name", "x'41'", /name: expected string/],
    ["agent_id", "''", /agent_id: expected text that is not empty/],
  ] as const)("with a row whose %s is %s cause a CorruptDataError that names the row", ([column, value, reason]) => {
    const path = temporaryDatabase();
    PatternPersistence.saveToSqlite(named("p"), path);
    execute(path, `UPDATE patterns SET ${column} = ${value}`);
    expect(() => PatternPersistence.loadFromSqlite(path)).toThrow(
      expect.objectContaining({ name: "CorruptDataError", message: expect.stringMatching(reason) }),
    );
  });

  test("keep NUL and U+FFFD in text, and lone surrogates inside context and tags", () => {
    const path = temporaryDatabase();
    const library = new PatternLibrary();
    library.contribute("a", {
      id: "p",
      pattern_type: "t\0t",
      name: "\ufffd",
      code: "",
      context: { "\ud800": "\udfff" },
      tags: ["\ud800"],
    });
    PatternPersistence.saveToSqlite(library, path);
    expect(PatternPersistence.loadFromSqlite(path).get("p")).toEqual(library.get("p"));
  });

  test("refuse an unknown mode or option before anything is written", () => {
    const path = temporaryDatabase();
    expect(() => PatternPersistence.saveToSqlite(named("p"), path, { mode: "append" as never })).toThrow(
      /mode: expected "merge", "replace" or "add", got "append"/,
    );
    expect(() => PatternPersistence.saveToSqlite(named("p"), path, { Mode: "merge" } as never)).toThrow(
      /unknown option "Mode"/,
    );
    expect(existsSync(path)).toBe(false);
  });
});
