import { linkSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ALL_DOORS } from "./all_doors.ts";

/** A database of metrics or patterns with two names, and the second one. */
function databaseWithTwoNames(door: string): { path: string; second: string } {
  const path = join(freshFolder(), "metrics.db");
  const line = door.includes("pre-16") || door.includes(" up") ? v15 : v16;
  if (/saveToSqlite|pull|import/.test(door)) v16.PatternPersistence.saveToSqlite(new v16.PatternLibrary(), path);
  else new line.MetricsCollector(path).close();
  const second = join(freshFolder(), "metrics.db");
  linkSync(path, second);
  return { path, second };
}

/** `pull` creates a database, and `down` changes only a database that was migrated. */
const WRITING = ALL_DOORS.filter(({ intent, name }) => intent === "write" && !/ (?:pull|down)$/.test(name));

// Each name has its own log: the program that opens one name overwrites what the other has written.
test.each(WRITING)("$name refuses a database with two names, and changes nothing", async ({ name, enter }) => {
  const { path, second } = databaseWithTwoNames(name);
  const before = readFileSync(path);
  expect(await enter(path, freshFolder())).toMatch(/2 names \(hard links\)|2 hard links/);
  expect(readFileSync(path)).toEqual(before);
  rmSync(second);
  expect(await enter(path, freshFolder())).toBeUndefined();
});

test("a database with two names is read", () => {
  const path = join(freshFolder(), "library.db");
  v16.PatternPersistence.saveToSqlite(new v16.PatternLibrary(), path);
  linkSync(path, `${path}.second`);
  expect(v16.PatternPersistence.loadFromSqlite(path).size).toBe(0);
});

// The writer of a new database removes its temporary name after it has given the file its final one.
test("a temporary name next to the database does not count", () => {
  const path = join(freshFolder(), "metrics.db");
  new v16.MetricsCollector(path).close();
  linkSync(path, join(path, "..", `.metrics.db.0123abcd-${process.ppid}-0a1b2c3d.perdura-tmp`));
  new v16.MetricsCollector(path).close();
});
