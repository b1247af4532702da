import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v16 from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { canMount, mount } from "../mounts.ts";
import { needs } from "../needs.ts";
import { DOORS } from "./doors.ts";
import { expectEntered } from "./expect_entered.ts";
import { contentOf } from "./folder_content.ts";

/** A closed database in WAL mode; its header makes every connection create a log. */
function closed(): string {
  const path = join(freshFolder(), "metrics.db");
  using collector = new v16.MetricsCollector(path);
  collector.recordInteraction("ann", 4, true, 1);
  const library = new v16.PatternLibrary();
  library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
  v16.PatternPersistence.saveToSqlite(library, path);
  return path;
}

/** Such a database with the shared memory of a program that was killed. */
function withSharedMemory(): string {
  const path = closed();
  const copy = join(freshFolder(), "metrics.db");
  const collector = new v16.MetricsCollector(path);
  collector.recordInteraction("ann", 4, true, 1);
  copyFileSync(`${path}-shm`, `${copy}-shm`);
  collector.close();
  copyFileSync(path, copy);
  return copy;
}

const READING = DOORS.filter(({ intent }) => intent === "read");

describe.each([
  ["a closed database", closed],
  ["a database with the shared memory of a killed program", withSharedMemory],
])("%s", (_what, make) => {
  test.each(READING)("has no log after $name", async (door) => {
    const path = make();
    const before = contentOf(dirname(path));
    expectEntered(door, await door.enter(path, freshFolder()));
    const after = contentOf(dirname(path));
    expect(after.get("metrics.db")).toBe(before.get("metrics.db"));
    expect([...after.keys()].filter((name) => !before.has(name))).toEqual([]);
  });
});

/** A database with rows in its log, on a read-only mount. */
function onReadOnlyMount(): string {
  const path = closed();
  const [folder, place] = [freshFolder(), freshFolder()];
  const collector = new v16.MetricsCollector(path);
  collector.recordInteraction("bob", 4, true, 1);
  for (const suffix of ["", "-wal"]) copyFileSync(`${path}${suffix}`, join(folder, `metrics.db${suffix}`));
  collector.close();
  mount("--bind", "-o", "ro", folder, place);
  return join(place, "metrics.db");
}

test.each(READING)("$name reads a log on a read-only mount", needs("mount", !canMount()), async (door) => {
  const path = onReadOnlyMount();
  const before = contentOf(dirname(path));
  expectEntered(door, await door.enter(path, freshFolder()));
  expect(contentOf(dirname(path))).toEqual(before);
});
