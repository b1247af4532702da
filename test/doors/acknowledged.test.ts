import { chmodSync, existsSync, mkdirSync, renameSync, statSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ON_POSIX } from "../needs.ts";
import { DISPLACED } from "./displaced.ts";

const LINES = [
  ["pre-16", v15],
  ["16", v16],
] as const;

const CELLS = LINES.flatMap(([name, line]) =>
  Object.entries(DISPLACED).map(([what, displace]) => ({ name, line, what, displace })),
);

describe.each(CELLS)("if $what, a collector of $name", ON_POSIX, ({ line, displace }) => {
  const refused = expect.objectContaining({
    code: "PERDURA_STORAGE",
    message: expect.stringMatching(/(?:the file|its log metrics\.db-wal) was (?:replaced|moved away or removed)/),
  });

  const level = line === v15 ? "empathy_level" : "level";
  const record = { user_id: "late", [level]: 4, success: true, response_time_ms: 1 };

  test.each<[string, (collector: v16.MetricsCollector) => unknown]>([
    ["recordInteraction", (collector) => collector.recordInteraction("late", 4, true, 1)],
    ["recordMany", (collector) => collector.recordMany([record] as never)],
    ["a writer", (collector) => collector.writer().recordInteraction("late", 4, true, 1)],
  ])("does not acknowledge %s", async (_name, call) => {
    const path = join(freshFolder(), "data", "metrics.db");
    mkdirSync(dirname(path));
    const collector = new line.MetricsCollector(path) as unknown as v16.MetricsCollector;
    collector.recordInteraction("early", 4, true, 1);
    displace(path);
    for (let times = 0; times < 2; times += 1)
      await expect(Promise.resolve().then(() => call(collector))).rejects.toThrow(refused);
    collector.close();
  });
});

/** Records until the last change of the directory is so long ago that the collector relies on its time. */
function settle(collector: v16.MetricsCollector, folder: string): void {
  while (Date.now() - statSync(folder).ctimeMs < 150) collector.recordInteraction("early", 4, true, 1);
}

describe.each(CELLS)("long after the last change, if $what, a collector of $name", ON_POSIX, ({ line, displace }) => {
  test("does not acknowledge a row, also if the time of the directory is set back", () => {
    const path = join(freshFolder(), "data", "metrics.db");
    const folder = dirname(path);
    mkdirSync(folder);
    const collector = new line.MetricsCollector(path) as unknown as v16.MetricsCollector;
    settle(collector, folder);
    const { atime, mtime } = statSync(folder);
    displace(path);
    if (existsSync(folder)) utimesSync(folder, atime, mtime);
    const late = (): unknown => collector.recordInteraction("late", 4, true, 1);
    expect(late).toThrow(/ was (?:replaced|moved away or removed)/);
    // The change of the directory becomes old as well.
    const end = Date.now() + 150;
    while (Date.now() < end) expect(late).toThrow(/ was (?:replaced|moved away or removed)/);
    expect(late).toThrow(/ was (?:replaced|moved away or removed)/);
    collector.close();
  });
});

test.each(LINES)("a collector of %s records for a program that has given up its rights", ON_POSIX, (_name, line) => {
  const folder = join(freshFolder(), "data");
  mkdirSync(folder);
  const path = join(folder, "metrics.db");
  const collector = new line.MetricsCollector(path);
  chmodSync(folder, 0o700);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  else chmodSync(folder, 0o000);
  try {
    expect(collector.recordInteraction("alice", 4, true, 1)).toBe(1);
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o700);
    collector.close();
  }
});

test.each(LINES)("a library of %s is not saved into a file that was moved away meanwhile", ON_POSIX, (_name, line) => {
  const path = join(freshFolder(), "patterns.db");
  const library = new line.PatternLibrary() as unknown as v16.PatternLibrary;
  library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
  const save = (): unknown => line.PatternPersistence.saveToSqlite(library as never, path);
  save();
  const values = library.patterns.values.bind(library.patterns);
  let calls = 0;
  library.patterns.values = () => {
    calls += 1;
    // The first call checks the patterns, before the file is opened.
    if (calls === 2) renameSync(path, `${path}.old`);
    return values();
  };
  expect(save).toThrow(expect.objectContaining({ code: "PERDURA_STORAGE", mayBeWritten: true }));
  expect(calls).toBeGreaterThan(1);
});

test("rows of other programs survive the end of a collector that has lost its log", ON_POSIX, () => {
  const path = join(freshFolder(), "metrics.db");
  const collector = new v16.MetricsCollector(path);
  collector.recordInteraction("early", 4, true, 1);
  const other = new DatabaseSync(path);
  other.prepare("SELECT count(*) FROM interactions").get();
  other.close();
  const writer = new Database(path);
  writer.exec("INSERT INTO interactions (user_id, level, success) VALUES ('other program', 3, 1)");
  writer.close();
  expect(() => collector.recordInteraction("late", 4, true, 1)).toThrow(/its log/);
  collector.close();
  const reader = new Database(path);
  expect(reader.prepare("SELECT user_id FROM interactions").pluck().all()).toEqual(["early", "other program"]);
  expect(reader.pragma("integrity_check", { simple: true })).toBe("ok");
  reader.close();
});
