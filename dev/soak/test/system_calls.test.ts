import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { CHILD } from "../src/migrations/disturbed_run.ts";
import { matchesPoint } from "../src/system_calls/points.ts";
import { failedElsewhere, readCalls } from "../src/system_calls/strace.ts";
import { unsyncedAtOutput } from "../src/system_calls/unsynced.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

test("failedElsewhere is true if the failed call did not concern the data", () => {
  const failed = (place: string): string =>
    `write(2<socket:[5]>, ""..., 202) = 202\nwrite(6<${place}>, ""..., 1) = -1 EIO (Input/output error) (INJECTED)\n`;
  expect(failedElsewhere("/data", failed("pipe:[12]"))).toBe(true);
  expect(failedElsewhere("/data", failed("/data/metrics.db"))).toBe(false);
  // No call has failed yet.
  expect(failedElsewhere("/data", 'write(6<pipe:[12]>, ""..., 1) = 1\nwrite(6<pipe:[12]>, ""..., 1')).toBe(false);
});

test("matchesPoint matches the name of a point or a prefix of it", () => {
  for (const meant of [undefined, "program:statx:2", "program:statx", "program"])
    expect(matchesPoint("program:statx:2", meant)).toBe(true);
  for (const other of ["program:stat", "program:statx:20", "child1", "program:statx:2:1"])
    expect(matchesPoint("program:statx:2", other)).toBe(false);
});

const SAID = 'write(1<pipe:[1]>, ""..., 13) = 13';
const WRITTEN = 'pwrite64(22</data/x.db>, ""..., 4096, 0) = 4096';

test.each<[string, string[], string[]]>([
  ["content", [WRITTEN, SAID], ["x.db was written and not synced"]],
  ["content that is synced", [WRITTEN, "fsync(22</data/x.db>) = 0", SAID], []],
  [
    "content that could not be synced",
    [WRITTEN, "fsync(22</data/x.db>) = -1 EIO (x)", SAID],
    ["x.db was written and not synced"],
  ],
  [
    "content that is synced after the output",
    [WRITTEN, SAID, "fsync(22</data/x.db>) = 0"],
    ["x.db was written and not synced"],
  ],
  ["content elsewhere", ['write(22</other/x>, ""..., 1) = 1', SAID], []],
  [
    "a removed journal that a power cut restores",
    ['unlink("/data/x.db-journal") = 0', SAID],
    ["x.db-journal was removed, and its directory was not synced"],
  ],
  ["a removed log that a power cut restores", ['unlink("/data/x.db-wal") = 0', SAID], []],
  [
    "a new name",
    ['openat(AT_FDCWD</>, "/data/x", O_WRONLY|O_CREAT, 0666) = 22</data/x>', SAID],
    ["x was made, and its directory was not synced"],
  ],
  [
    "a new name that is synced",
    ['openat(AT_FDCWD</>, "/data/x", O_WRONLY|O_CREAT, 0666) = 22</data/x>', "fsync(23</data>) = 0", SAID],
    [],
  ],
  [
    "a new directory",
    ['mkdir("/data/d", 0777) = 0', "fsync(23</data/d>) = 0", SAID],
    ["d was made, and its directory was not synced"],
  ],
  [
    "an existing directory, with another thread's call logged first",
    [
      '7 mkdir("/data/d", 0777 <unfinished ...>',
      '8 write(6<pipe:[12]>, ""..., 1 <unfinished ...>',
      "7 <... mkdir resumed>) = -1 EEXIST (File exists)",
      "8 <... write resumed>) = 1",
      `7 ${SAID}`,
    ],
    [],
  ],
  [
    "content that could not be synced, with another thread's call logged first",
    [
      `7 ${WRITTEN}`,
      "7 fsync(22</data/x.db> <unfinished ...>",
      '8 write(6<pipe:[12]>, ""..., 1) = 1',
      "7 <... fsync resumed>) = -1 EIO (x)",
      `7 ${SAID}`,
    ],
    ["x.db was written and not synced"],
  ],
  ["a temporary file", ['write(22</data/.x.perdura-tmp>, ""..., 1) = 1', SAID], []],
  [
    "a file renamed before it was synced",
    [
      'write(22</data/.t.perdura-tmp/x>, ""..., 1) = 1',
      'rename("/data/.t.perdura-tmp", "/data/t") = 0',
      "fsync(23</data>) = 0",
      SAID,
    ],
    ["t/x was written and not synced"],
  ],
  [
    "a copy by copy_file_range",
    ["copy_file_range(22</data/from>, NULL, 23</data/to>, NULL, 9, 0) = 9", SAID],
    ["to was written and not synced"],
  ],
  ["a whole file system", [WRITTEN, 'execve("/usr/bin/sync", [...], 0x1) = 0', SAID], []],
])("a log shows what a power cut would lose: %s", (_what, lines, lost) => {
  expect(unsyncedAtOutput(readCalls(`${lines.join("\n")}\n`), "/data")).toEqual(lost);
});

test("refuses a log without output", () => {
  expect(() => unsyncedAtOutput(readCalls(`${WRITTEN}\n`), "/data")).toThrow("no output of the program");
});

test("the wrapper of a child process ends if its directory is missing, and counts child processes otherwise", () => {
  const place = freshFolder();
  const started = (script: string) =>
    spawnSync("/bin/sh", ["-c", CHILD, script, "argument"], {
      encoding: "utf8",
      env: { ...process.env, PERDURA_SOAK_NODE: "echo", PERDURA_SOAK_STRACE: "echo traced", PERDURA_SOAK_NUMBER: "2" },
      timeout: PATIENCE_MS,
    });
  expect(started(join(place, "gone", "child.sh"))).toMatchObject({ status: 1, stdout: "" });
  const printed = Array.from({ length: 3 }, () => started(join(place, "child.sh")).stdout);
  expect(printed).toEqual(["argument\n", "traced -D -- echo argument\n", "argument\n"]);
});
