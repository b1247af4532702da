import { execFileSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";
import { ON_POSIX } from "../needs.ts";

describe.for(LINES)("file paths in $name", ({ line }) => {
  const { MetricsCollector, PatternLibrary, PatternPersistence } = line;

  test.for([" ", "x.db ", " x.db", ":memory:", "", "a\0b", 5, null])(
    "refuses the database path %j, which the driver would change",
    (path) => {
      const library = new PatternLibrary();
      library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
      library.recordUsage("p", "a", true);
      expect(() => PatternPersistence.saveToSqlite(library, path as string)).toThrow(
        expect.objectContaining({ code: "PERDURA_VALIDATION" }),
      );
      expect(() => PatternPersistence.loadFromSqlite(path as string)).toThrow(
        expect.objectContaining({ code: "PERDURA_VALIDATION" }),
      );
      if (path !== ":memory:") expect(() => new MetricsCollector(path as string)).toThrow(/dbPath/);
      expect(library.pendingUsage).toHaveLength(1);
    },
  );

  test("a document never replaces a database, whether open or closed", () => {
    const path = join(freshFolder(), "m.json");
    const collector = new MetricsCollector(path);
    collector.recordInteraction("u", 1, true, 1);
    expect(() => collector.exportMetrics(path)).toThrow(/is an SQLite database, which saving would replace/);
    // A second connection still cannot write while the first holds the lock: the lock was not dropped.
    const [holder, other] = [new Database(path), new Database(path, { timeout: 0 })];
    holder.exec("BEGIN IMMEDIATE");
    expect(() => PatternPersistence.saveToJson(new PatternLibrary(), path)).toThrow(/is an SQLite database/);
    expect(() => other.exec("BEGIN IMMEDIATE")).toThrow(/locked/);
    for (const connection of [holder, other]) connection.close();
    collector.close();
    expect(() => PatternPersistence.saveToJson(new PatternLibrary(), path)).toThrow(/is an SQLite database/);
    using second = new MetricsCollector(path);
    expect(second.getGlobalStats().total_interactions).toBe(1);
  });

  test("takes the URL of a file for a path", () => {
    const at = (name: string): URL => new URL(name, pathToFileURL(`${freshFolder()}/`));
    const library = new PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
    const [json, database, metrics] = [at("p%20%C3%A9.json"), at("p.db"), at("m.db")];
    PatternPersistence.saveToJson(library, json);
    expect(PatternPersistence.loadFromJson(json).size).toBe(1);
    expect(lstatSync(join(dirname(fileURLToPath(json)), "p é.json")).isFile()).toBe(true);
    PatternPersistence.saveToSqlite(library, database);
    expect(PatternPersistence.loadFromSqlite(database).size).toBe(1);
    using collector = new MetricsCollector(metrics);
    collector.recordInteraction("a", 1, true, 1);
    expect(collector.exportMetrics(new URL("m.csv", metrics))).toBe(1);
    expect(lstatSync(fileURLToPath(new URL("m.csv", metrics))).isFile()).toBe(true);
  });

  test.for(["https://user:secret@example.com/m.db", "file:///a%2Fb", "file:///a%00b", "data:,m.db"])(
    "refuses the URL %s, which names no file",
    (text) => {
      const url = new URL(text);
      for (const open of [
        () => new MetricsCollector(url),
        () => PatternPersistence.loadFromJson(url),
        () => PatternPersistence.saveToSqlite(new PatternLibrary(), url),
      ]) {
        expect(open).toThrow(expect.objectContaining({ code: "PERDURA_VALIDATION" }));
        expect(open).not.toThrow(/secret/);
      }
    },
  );

  test("does not replace a pipe", ON_POSIX, () => {
    const path = join(freshFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    expect(() => PatternPersistence.saveToJson(new PatternLibrary(), path)).toThrow(/is a pipe, socket or device/);
    expect(() => PatternPersistence.saveToSqlite(new PatternLibrary(), path)).toThrow(/is a pipe, socket or device/);
    expect(() => PatternPersistence.loadFromSqlite(path)).toThrow(/found a pipe, socket or device/);
    expect(lstatSync(path).isFIFO()).toBe(true);
  });

  test("keeps a dangling symbolic link and creates its target", () => {
    const directory = freshFolder();
    symlinkSync("later.json", join(directory, "link.json"));
    PatternPersistence.saveToJson(new PatternLibrary(), join(directory, "link.json"));
    expect(lstatSync(join(directory, "link.json")).isSymbolicLink()).toBe(true);
    expect(statSync(join(directory, "later.json")).isFile()).toBe(true);
    expect(readdirSync(directory)).toHaveLength(2);
  });

  test("an invalid file that is too large for one string is refused with line and column", () => {
    const path = join(freshFolder(), "huge.json");
    writeFileSync(path, '{"patterns": [],\n\n x');
    truncateSync(path, 2 ** 29);
    expect(() => PatternPersistence.loadFromJson(path)).toThrow(
      expect.objectContaining({ name: "JSONDecodeError", line: 3, column: 2 }),
    );
  });

  test("escapes control characters of a path in messages", () => {
    try {
      PatternPersistence.loadFromJson("/none/\u001b[31mred\nline\u202e.json");
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message).toContain("\\u001b[31mred\\u000aline\\u202e");
      expect((error as Error).message).not.toMatch(/[\u001b\n\u202e]/);
    }
  });
});

test("a locked database causes a BusyError, and nothing is written", () => {
  const path = join(freshFolder(), "m.db");
  using collector = new v16.MetricsCollector(path, { busyTimeoutMs: 20 });
  const holder = new Database(path);
  holder.exec("BEGIN IMMEDIATE");
  const busy = expect.objectContaining({ name: "BusyError", code: "PERDURA_BUSY", path });
  expect(() => collector.recordInteraction("u", 1, true, 1)).toThrow(busy);
  expect(() => collector.recordMetric("u", true, 1, { a: 1 })).toThrow(busy);
  expect(() => collector.recordMany([{ user_id: "u", success: true, response_time_ms: 1 }])).toThrow(busy);
  holder.close();
  expect(collector.getGlobalStats().total_interactions).toBe(0);
  expect(collector.recordInteraction("u", 1, true, 1)).toBe(1);
});

test("opens a complete database during another connection's write; an incomplete one waits for busyTimeoutMs", () => {
  const path = join(freshFolder(), "metrics.db");
  const options = { busyTimeoutMs: 20 };
  const holder = new Database(path);
  holder.pragma("journal_mode = WAL");
  holder.exec("BEGIN IMMEDIATE");
  expect(() => new v16.MetricsCollector(path, options)).toThrow(expect.objectContaining({ code: "PERDURA_BUSY" }));
  holder.exec("COMMIT");
  new v16.MetricsCollector(path, options).close();
  holder.exec("BEGIN IMMEDIATE");
  {
    using collector = new v16.MetricsCollector(path, options);
    expect(collector.getGlobalStats().total_interactions).toBe(0);
  }
  holder.close();
});

test("does not change a byte of a database of another line", () => {
  const path = join(freshFolder(), "m.db");
  const database = new Database(path);
  database.exec(
    "CREATE TABLE interactions (id INTEGER PRIMARY KEY, user_id TEXT, empathy_level INTEGER, success INTEGER, response_time_ms REAL, timestamp TEXT)",
  );
  database.close();
  const before = readFileSync(path);
  expect(() => new v16.MetricsCollector(path)).toThrow(expect.objectContaining({ code: "PERDURA_UNSUPPORTED_FORMAT" }));
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(join(path, ".."))).toEqual(["m.db"]);
});

test("a table interactions with other columns causes a CorruptDataError, and the file is unchanged", () => {
  const path = join(freshFolder(), "m.db");
  const database = new Database(path);
  database.exec("CREATE TABLE interactions (a, b)");
  database.close();
  const before = readFileSync(path);
  expect(() => new v16.MetricsCollector(path)).toThrow(/the table "interactions" lacks "id", "user_id"/);
  expect(readFileSync(path).equals(before)).toBe(true);
});
