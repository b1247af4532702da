import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ON_POSIX } from "../needs.ts";
import { DOORS } from "./doors.ts";

const KINDS: Record<string, (path: string) => void> = {
  "a pipe": (path) => expect(spawnSync("mkfifo", [path]).status).toBe(0),
  "a device": (path) => symlinkSync("/dev/zero", path),
  "a directory": (path) => mkdirSync(path),
};

const CELLS = DOORS.filter(({ intent }) => intent !== "other").flatMap((door) =>
  Object.entries(KINDS)
    // The programs accept directories.
    .filter(([what]) => what !== "a directory" || !/migrate|inspect/.test(door.name))
    .map(([what, make]) => ({ name: door.name, enter: door.enter, what, make })),
);

test.each(CELLS)("$name refuses $what, and does not wait for it", ON_POSIX, async ({ enter, make }) => {
  const path = join(freshFolder(), "metrics.db");
  make(path);
  expect(await enter(path, freshFolder())).toMatch(/a pipe, socket or device|a directory|not a regular file/);
});
