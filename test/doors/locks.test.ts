import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ON_LINUX } from "../needs.ts";
import { ALL_DOORS } from "./all_doors.ts";
import { expectEntered } from "./expect_entered.ts";

/** Locks of this process on a database and its shared memory, as the system lists them. */
function locksOn(path: string): number {
  const inodes = [path, `${path}-shm`].map((each) => `:${statSync(each).ino} `);
  const lines = locksOfSystem().filter(
    (line) => line.includes(` ${process.pid} `) && inodes.some((inode) => line.includes(inode)),
  );
  return new Set(lines.map((line) => line.replace(/^\d+: /, ""))).size;
}

/** The list changes while it is read, if other processes lock files at the same time. */
function locksOfSystem(): string[] {
  for (let last = ""; ;) {
    const found = readFileSync("/proc/locks", "utf8");
    if (found === last) return found.split("\n");
    last = found;
  }
}

// Closing any descriptor of a file drops all locks that the process has on it.
test.each(ALL_DOORS)("$name keeps the locks of a collector of the same process", ON_LINUX, async (door) => {
  const path = join(freshFolder(), "metrics.db");
  const line = door.name === "a collector of pre-16" ? v15 : v16;
  using collector = new line.MetricsCollector(path);
  collector.recordInteraction("alice", 4, true, 1);
  const library = new v16.PatternLibrary();
  library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
  v16.PatternPersistence.saveToSqlite(library, path);
  const before = locksOn(path);
  expect(before).toBeGreaterThan(0);
  expectEntered(door, await door.enter(path, freshFolder()));
  expect(locksOn(path)).toBe(before);
});
