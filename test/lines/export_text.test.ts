import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";

const clock = (): Date => new Date("2026-03-04T05:06:07Z");

describe.for(COLLECTORS)("the text of an export in $name", ({ column, open }) => {
  /** Export of a database that another program has filled with this SQL. */
  function textOf(sql: string, extension: string): string {
    const path = temporaryDatabase();
    open(path, { clock }).close();
    const database = new Database(path);
    database.exec(sql.replaceAll("LEVEL", column));
    database.close();
    const file = join(dirname(path), `out.${extension}`);
    using collector = open(path, { clock });
    collector.exportMetrics(file);
    return readFileSync(file, "utf8");
  }

  const insert = (rows: string): string =>
    `INSERT INTO interactions (id, user_id, LEVEL, success, response_time_ms, timestamp) VALUES ${rows}`;

  test("matches the expected document exactly, with no rows and with two", () => {
    const none = `{
  "metadata": {"exported_at":"2026-03-04T05:06:07","interaction_count":0},
  "users": {},
  "global": {"total_users":0,"total_interactions":0,"success_rate":0},
  "interactions": []
}
`;
    expect(textOf("", "json")).toBe(none);
    const two = textOf(insert("(1, 'a', 3, 1, 2.5, '2026-01-01 00:00:00'), (2, 'b', 3, 1, 2.5, NULL)"), "json");
    const row = (id: number, user: string, time: string): string =>
      `    {"id":${id},"user_id":"${user}","${column}":3,"success":true,"response_time_ms":2.5,"timestamp":${time},"metadata":null}`;
    expect(two).toContain(`"interaction_count":2},\n  "users": {\n    "a": {"total_operations":1,`);
    expect(two).toContain(`},\n    "b": {"total_operations":1,`);
    expect(two.slice(two.indexOf('\n  },\n  "global"'))).toBe(
      `\n  },\n  "global": {"total_users":2,"total_interactions":2,"success_rate":1},\n  "interactions": [\n${row(1, "a", '"2026-01-01 00:00:00"')},\n${row(2, "b", "null")}\n  ]\n}\n`,
    );
  });

  test("separates many rows at their ends, whatever their text contains", () => {
    const users = Array.from(
      { length: 1000 },
      (_, index) => ['},{"', `},{"id":${index}`, "u".repeat(index)][index % 3],
    );
    const rows = users.map(
      (user, index) => `(${index + 1}, '${user}', ${index % 7 === 0 ? "'high'" : 3}, 1, 2.5, 't')`,
    );
    const interactions = users.map((user, index) => ({
      id: index + 1,
      user_id: user,
      [column]: index % 7 === 0 ? "high" : 3,
      success: true,
      response_time_ms: 2.5,
      timestamp: "t",
      metadata: null,
    }));
    const lines = interactions.map((row) => JSON.stringify(row));
    expect(textOf(insert(rows.join()), "jsonl")).toBe(`${lines.join("\n")}\n`);
    expect(textOf(insert(rows.join()), "json")).toContain(`"interactions": [\n    ${lines.join(",\n    ")}\n  ]\n`);
  });

  test("keeps response times that JSON has no number for as text, and omits the text for NULL", () => {
    const lines = textOf(
      insert("(1, 'u', 1, 0, 9e999, 't'), (2, 'u', 1, 0, 'soon', 't'), (3, 'u', 1, 0, NULL, 't')"),
      "jsonl",
    );
    const times = lines.split("\n").map((line) => /"response_time.*(?=,"timestamp")/.exec(line)?.[0]);
    expect(times).toEqual([
      '"response_time_ms":null,"response_time_text":"Infinity"',
      '"response_time_ms":null,"response_time_text":"soon"',
      '"response_time_ms":null',
      undefined,
    ]);
  });

  test("writes metadata on one line, as text if it is not a JSON object", () => {
    const metadata = `INSERT INTO interaction_metadata VALUES (1, '{\r\n"a": 1}'), (2, '[1]'), (3, '{')`;
    const rows = insert(
      "(1, 'u', 1, 1, 1, 't'), (2, 'u', 1, 1, 1, 't'), (3, 'u', 1, 1, 1, 't'), (4, 'u', 1, 1, 1, 't')",
    );
    const lines = textOf(`${rows}; ${metadata}`, "jsonl");
    expect(lines.split("\n").map((line) => /"metadata".*/.exec(line)?.[0])).toEqual([
      '"metadata":{  "a": 1}}',
      '"metadata":null,"metadata_text":"[1]"}',
      '"metadata":null,"metadata_text":"{"}',
      '"metadata":null}',
      undefined,
    ]);
  });

  test("distinguishes empty text from NULL in CSV", () => {
    const csv = textOf(insert("(1, '', 1, 1, NULL, ''), (2, 'u', 1, 0, '', NULL)"), "csv");
    expect(csv.split("\r\n").slice(1)).toEqual(['1,"",1,true,,"",', '2,u,1,false,"",,', ""]);
  });

  test("requires a file path, and removes the temporary file of a killed export", () => {
    const path = temporaryDatabase();
    using collector = open(path);
    const at = (name: string): string => join(dirname(path), name);
    expect(() => collector.exportMetrics(5 as never)).toThrow("filepath: expected a file path, got 5");
    expect(() => collector.exportMetrics(at("none/out.csv"))).toThrow("filepath: the directory ");
    const left = at(temporaryName("out.csv", "0"));
    writeFileSync(left, "half");
    utimesSync(left, 0, 0);
    collector.exportMetrics(at("out.csv"));
    expect(readdirSync(dirname(path)).filter((name) => !name.startsWith("metrics.db"))).toEqual(["out.csv"]);
  });

  test("is not written for a damaged database, which the error names", () => {
    const path = temporaryDatabase();
    open(path).close();
    const other = new Database(path);
    other.exec(`PRAGMA journal_mode = DELETE;
      WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5000)
      INSERT INTO interactions (user_id, ${column}, success) SELECT 'u', 1, 1 FROM n`);
    const root = other
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'interactions'")
      .pluck()
      .get() as number;
    other.close();
    const bytes = readFileSync(path);
    const size = bytes.readUInt16BE(16);
    bytes.fill(0xff, (root - 1) * size + 12, root * size);
    writeFileSync(path, bytes);
    using collector = open(path);
    const file = join(dirname(path), "out.csv");
    expect(() => collector.exportMetrics(file)).toThrow(expect.objectContaining({ path, name: "CorruptDataError" }));
    expect(readdirSync(dirname(path))).not.toContain("out.csv");
  });
});
