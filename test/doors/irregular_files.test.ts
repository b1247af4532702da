import { spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ON_POSIX } from "../needs.ts";
import { ALL_DOORS } from "./all_doors.ts";

const KINDS: Record<string, (path: string) => void> = {
  "a pipe": (path) => expect(spawnSync("mkfifo", [path]).status).toBe(0),
  "a device": (path) => symlinkSync("/dev/zero", path),
  "a directory": (path) => mkdirSync(path),
};

/**
 * Opens a pipe from both ends and fills it, so that a door that opens or reads it fails the test instead of waiting
 * forever.
 */
function hold(path: string): void {
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(descriptor));
  writeSync(descriptor, Buffer.alloc(1 << 16, "x"));
}

const CELLS = ALL_DOORS.filter(({ intent }) => intent !== "other").flatMap((door) =>
  Object.entries(KINDS)
    // The programs accept directories.
    .filter(([what]) => what !== "a directory" || !/migrate|inspect/.test(door.name))
    .map(([what, make]) => ({ name: door.name, enter: door.enter, what, make })),
);

describe.each([
  ["pre-16", v15],
  ["16", v16],
] as const)("in %s", (_name, line) => {
  test("a pipe without a writer is empty", ON_POSIX, () => {
    const path = join(freshFolder(), "library.json");
    KINDS["a pipe"]?.(path);
    expect(() => line.PatternPersistence.loadFromJson(path)).toThrow(
      expect.objectContaining({ code: "PERDURA_JSON_DECODE", path }),
    );
  });

  test.each(["~", "~/data"])("%s is not taken for the name of a folder", (path) => {
    const refused = expect.objectContaining({
      code: "PERDURA_VALIDATION",
      message: expect.stringContaining("which only a shell replaces with the home directory"),
    });
    expect(() => line.openPersistence({ user_id: "u", persistence_path: path })).toThrow(refused);
    expect(() => new line.MetricsCollector(`${path}/metrics.db`)).toThrow(refused);
    expect(() => line.PatternPersistence.loadFromJson(`${path}/library.json`)).toThrow(refused);
    expect(existsSync("~")).toBe(false);
  });
});

test("the state of a user is not read from a pipe or a device", ON_POSIX, () => {
  for (const kind of ["a pipe", "a device"]) {
    const folder = freshFolder();
    KINDS[kind]?.(join(folder, "ann.json"));
    expect(() => new v15.StateManager(folder).loadState("ann"), kind).toThrow(/a pipe, socket or device/);
    expect(new v15.StateManager(folder).listUsers()).toEqual(["ann"]);
  }
});

/** Entries at the path of a state, of which no file of the system can be damaged. */
const NO_STATES: Record<string, (path: string) => void> = {
  "a pipe": (path) => KINDS["a pipe"]?.(path),
  "a link to a pipe": (path) => {
    KINDS["a pipe"]?.(`${path}.pipe`);
    symlinkSync(`${path}.pipe`, path);
  },
  "a link to a directory": (path) => {
    mkdirSync(`${path}.directory`);
    symlinkSync(`${path}.directory`, path);
  },
};

test.each(Object.entries(NO_STATES))("a state is not saved over %s, which stays", ON_POSIX, (_name, make) => {
  const folder = freshFolder();
  const path = join(folder, "ann.json");
  make(path);
  const kinds = (): boolean[] => [path, realpathSync(path)].map((each) => lstatSync(each).isFile());
  const names = readdirSync(folder);
  const states = new v15.StateManager(folder);
  expect(() => states.saveState("ann", { user_id: "ann", trust_level: 0.5 })).toThrow(
    expect.objectContaining({
      code: "PERDURA_STORAGE",
      path,
      message: expect.stringMatching(/found a (?:pipe, socket or device|directory)\. No stored data was changed/),
    }),
  );
  expect(kinds()).toEqual([false, false]);
  expect(readdirSync(folder)).toEqual(names);
});

test.each(CELLS)("$name refuses $what, and does not wait for it", ON_POSIX, async ({ name, enter, make }) => {
  const path = join(freshFolder(), "metrics.db");
  make(path);
  if (lstatSync(path).isFIFO()) hold(path);
  expect(await enter(path, freshFolder())).toMatch(
    name === "check-file"
      ? /is (?:a directory|not a regular file)/
      : /found (?:a pipe, socket or device|a directory)|is (?:a pipe, socket or device|a directory)/,
  );
});
