import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { removeAbandonedTemporaries } from "../../src/files/abandoned_temporaries.ts";
import { isAbandoned, isTemporaryName, temporaryName } from "../../src/files/temporary_names.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

/** The id of a process that has ended. */
const gone = String(spawnSync(process.execPath, ["-e", ""]).pid);
const ours = temporaryName("library.json", "00ff00ff");
const ofDead = ours.replace(`-${process.pid}-`, `-${gone}-`);
/** Process 1 always exists. */
const ofLiving = ours.replace(`-${process.pid}-`, "-1-");
const ofOtherMachine = ofDead.replace(/\.[0-9a-f]{8}-/, ".00000000-");

const HOUR = 3600;

/** Makes a file that was changed this many hours ago. */
function fileOf(folder: string, name: string, hoursAgo: number = 0): string {
  const path = join(folder, name);
  writeFileSync(path, "");
  const then = Date.now() / 1000 - hoursAgo * HOUR;
  utimesSync(path, then, then);
  return path;
}

it("a temporary name is hidden, contains the name of its file, and is not too long", () => {
  expect(ours).toMatch(/^\.library\.json\.[0-9a-f]{8}-\d+-00ff00ff\.perdura-tmp$/);
  expect(temporaryName("a b/ü\n.db", "1")).toMatch(/^\.a_b___\.db\./);
  expect(temporaryName("x".repeat(300), "12345678").length).toBeLessThanOrEqual(120);
  expect(temporaryName("x".repeat(300), "1")).toMatch(/^\.x{60}\./);
  expect(isTemporaryName(ours)).toBe(true);
});

test.each([
  ours.slice(1),
  `${ours}.`,
  `${ours}\n`,
  ours.replace("perdura-tmp", "tmp"),
  ours.replace(/\.[0-9a-f]{8}-/, "."),
  ours.replace(`${process.pid}`, "x"),
  ours.replace("00ff00ff", "xyz"),
  ours.replace("00ff00ff", ""),
])("%j is not a temporary name", (name) => {
  expect(isTemporaryName(name)).toBe(false);
  expect(isAbandoned(fileOf(freshFolder(), name, 100))).toBe(name === ours.slice(1));
});

test.each([
  ["of a process that has ended", ofDead, 0, true],
  ["of a running process", ofLiving, 0, false],
  ["of a running process, unchanged for 23 hours", ofLiving, 23, false],
  ["of a running process, unchanged for 25 hours", ofLiving, 25, true],
  ["of another machine", ofOtherMachine, 0, false],
  ["of another machine, unchanged for 25 hours", ofOtherMachine, 25, true],
  ["of this process", ours, 0, false],
  ["of an earlier process with the id of this process", ours, 23, true],
])("isAbandoned decides for a temporary file %s", (_whose, name, hours, abandoned) => {
  expect(isAbandoned(fileOf(freshFolder(), name, hours))).toBe(abandoned);
});

it("a missing file is not abandoned, and neither is an old directory of a running process", () => {
  const folder = freshFolder();
  expect(isAbandoned(join(folder, ofDead))).toBe(false);
  const directory = join(folder, ofLiving);
  mkdirSync(directory);
  utimesSync(directory, 1, 1);
  expect(isAbandoned(directory)).toBe(false);
});

it("removes abandoned files with their SQLite companions, and no other file", () => {
  const folder = freshFolder();
  for (const ending of ["", "-journal", "-wal", "-shm"]) fileOf(folder, `${ofDead}${ending}`);
  const kept = [ours, ofLiving, `${ofLiving}-wal`, `${ofDead}-other`, "library.json", "notes.perdura-tmp"];
  for (const name of kept) fileOf(folder, name);
  const link = ofDead.replace("library", "link");
  symlinkSync("library.json", join(folder, link));
  const directory = ofDead.replace("library", "directory");
  mkdirSync(join(folder, directory));
  removeAbandonedTemporaries(folder);
  expect(readdirSync(folder).sort()).toEqual([...kept, link, directory].sort());
});

it("ignores a missing directory, and refuses a file in its place", () => {
  const folder = freshFolder();
  removeAbandonedTemporaries(join(folder, "gone"));
  expect(() => removeAbandonedTemporaries(fileOf(folder, "file"))).toThrow("ENOTDIR");
});
