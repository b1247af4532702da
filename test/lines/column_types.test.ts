import { join } from "node:path";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { RowWriter } from "@perdura/internals/metrics/row_writer.js";
import { interactionsTable, type LevelColumn } from "@perdura/internals/metrics/schema.js";
import { PATTERN_USAGE_TABLE, PATTERNS_TABLE } from "@perdura/internals/patterns/sqlite_schema.js";
import { MetricsCollector as Collector15 } from "@perdura/v15";
import { MetricsCollector as Collector16, PatternLibrary, PatternPersistence } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { connect } from "../legacy/legacy_database.ts";
import { freshFolder } from "../fresh_folder.ts";

/** A declared type for each rule of SQLite, and those that programs and generators of tables use. */
const TYPES = [
  ..."INTEGER INT BIGINT TINYINT(1) TEXT VARCHAR(255) CLOB REAL FLOAT DOUBLE NUMERIC DECIMAL(10,2) BOOLEAN".split(" "),
  ..."DATETIME TIMESTAMP STRING UUID JSON BLOB ANY".split(" "),
  "DOUBLE PRECISION",
  "NATIVE CHARACTER(70)",
  "FLOATING POINT",
  "",
];

const cells = (columns: readonly string[], table: string): string =>
  `SELECT ${columns.map((column) => `typeof(${column}) || ' ' || quote(${column})`).join(", ")} FROM ${table} ORDER BY id`;

/** The statement with another type for one column, or the same if it has that type. */
function withType(statement: string, column: string, type: string): string {
  const changed = statement.replace(new RegExp(`(\\b${column}) \\w+`), `$1 ${type}`);
  expect(changed).toContain(`${column} ${type}`);
  return changed;
}

/** Levels, user ids that look like numbers, and response times with and without a fraction. */
const RECORDS = ["u", "007", "7", "1e3", " 12 ", "0x10", "-1.50"].flatMap((userId, index) => [
  { userId, level: (index % 5) + 1, success: index % 2 === 0, responseTimeMs: index * 10, metadata: null },
  { userId, level: null, success: true, responseTimeMs: 12.345678901234567 * index, metadata: null },
  { userId, level: 5, success: false, responseTimeMs: 0.1 + 0.2, metadata: null },
]);

describe.each([
  ["empathy_level", Collector15],
  ["level", Collector16],
] as const)("interactions with %s", (levelColumn, Collector) => {
  const columns = ["user_id", levelColumn, "success", "response_time_ms"];

  /** Rows and answers after the line's own statements recorded; without the checks of an opening. */
  function recorded(statement: string): { rows: unknown[]; answers: string } {
    const database = connect(":memory:");
    database.exec(statement);
    const writer = new RowWriter(database as never, ":memory:", levelColumn as LevelColumn, undefined);
    for (const record of RECORDS) writer.insert(record);
    const rows = database.prepare(cells(columns, "interactions")).raw().all();
    const answers = database
      .prepare(
        `SELECT user_id, count(*), sum(CASE WHEN success THEN 1 END), avg(response_time_ms), sum(${levelColumn} = 5) FROM interactions GROUP BY 1 ORDER BY 1`,
      )
      .raw()
      .all();
    return { rows, answers: JSON.stringify(answers) };
  }

  const specified = recorded(interactionsTable(levelColumn));

  test.each(columns.flatMap((column) => TYPES.map((type) => [column, type])))(
    "%s %s is refused if it would change a recorded value, and only then",
    (column, type) => {
      const statement = withType(interactionsTable(levelColumn), column as string, type as string);
      const found = recorded(statement);
      // A whole number in a column of numbers is the same number, as an integer.
      const plain = (rows: unknown[]): string =>
        JSON.stringify(rows).replaceAll(/real (-?\d+)\.0"/g, (word, digits) =>
          column === "response_time_ms" ? `integer ${digits}"` : word,
        );
      const changes = plain(found.rows) !== plain(specified.rows) || found.answers !== specified.answers;
      const path = join(freshFolder(), "metrics.db");
      const database = connect(path);
      database.exec(statement);
      database.close();
      const open = (): void => new Collector(path).close();
      // Every type reads a boolean alike, and pre-16 programs always converted user ids.
      if (column === "success" || (column === "user_id" && levelColumn === "empathy_level")) return open();
      // ANY is refused where only a STRICT table would change the value, or only another one.
      if (type === "ANY" && !changes) return;
      if (!changes) return open();
      expect(open).toThrow(`${column} ${type === "" ? "has no declared type" : `is declared ${type}`}`);
      expect(errorOf(open)).toBe("PERDURA_UNSUPPORTED_FORMAT");
    },
  );
});

test("a STRICT table is judged by its own rules", () => {
  const path = join(freshFolder(), "metrics.db");
  const database = connect(path);
  database.exec(
    `${interactionsTable("level").replace("level INTEGER", "level ANY").replace("BOOLEAN", "INT").replace("TIMESTAMP ", "TEXT ")} STRICT`,
  );
  database.close();
  expect(() => new Collector16(path)).toThrow(
    "level is declared ANY: this library would store level 4 as the REAL 4.0",
  );
});

const library = (): PatternLibrary => {
  const made = new PatternLibrary();
  const [ids, texts] = [
    ["p", "007", "1e3", " 12 "],
    ["t", "08", "1.50", "0"],
  ];
  for (const [index, id] of ids.entries()) {
    const text = texts[index] as string;
    made.contribute(text, {
      id,
      pattern_type: text,
      name: text,
      description: text,
      code: text,
      context: { x: 1 },
      confidence: index / 3,
      usage_count: index,
      success_count: index,
      failure_count: 0,
      tags: ["7"],
      discovered_at: "2025-01-01T00:00:00",
      last_used: "2025-01-01T00:00:00",
    });
    made.recordUsage(id, "0815", true);
  }
  return made;
};

describe.each([
  ["patterns", PATTERNS_TABLE],
  ["pattern_usage", PATTERN_USAGE_TABLE],
])("the table %s", (table, create) => {
  const columns = [...create.matchAll(/^ {4}([a-z_]+) (?!.*PRIMARY KEY AUTO)/gm)].map(([, name]) => name as string);

  test.each(columns.flatMap((column) => TYPES.map((type) => [column, type])))(
    "%s %s is refused if it would change a saved value, and only then",
    (column, type) => {
      const path = join(freshFolder(), "patterns.db");
      const database = connect(path);
      const others = [PATTERNS_TABLE, PATTERN_USAGE_TABLE].filter((statement) => statement !== create);
      for (const statement of [withType(create, column as string, type as string), ...others]) database.exec(statement);
      const saved = library();
      const save = (): unknown => PatternPersistence.saveToSqlite(saved, path);
      const error = errorOf(save);
      if (error !== undefined) {
        expect(error).toBe("PERDURA_UNSUPPORTED_FORMAT");
        expect(save).toThrow(`${column} ${type === "" ? "has no declared type" : `is declared ${type}`}`);
        expect(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()).toBe(0);
      } else {
        expect([...PatternPersistence.loadFromSqlite(path).patterns]).toEqual([...saved.patterns]);
        const usage = database.prepare("SELECT pattern_id, agent_id, success + 0 FROM pattern_usage ORDER BY id").raw();
        expect(usage.all()).toEqual([...saved.patterns.keys()].map((id) => [id, "0815", 1]));
      }
      database.close();
    },
  );
});

function errorOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return isPerduraError(error) ? error.code : String(error);
  }
}
