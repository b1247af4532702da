import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { loadLibraryFromSqlite } from "@perdura/internals/patterns/sqlite_load.js";
import { saveLibraryToSqlite } from "@perdura/internals/patterns/sqlite_save.js";
import type { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { expect, test } from "vitest";
import { openBackupStore } from "../../src/index.ts";
import { freshFolder, libraryOf } from "../elements.ts";
import { endOf, runProgram, startProgram } from "./program.ts";

const STOPPED = fileURLToPath(new URL("../programs/stopped_cli.ts", import.meta.url));
const MEGABYTE = 1 << 20;

/** A library of so many megabytes. */
function largeLibrary(megabytes: number, mark: string): PatternLibrary {
  const library = libraryOf(...Array.from({ length: megabytes }, (_unused, index) => `${mark}-${index}`));
  for (const pattern of library.patterns.values()) pattern.description = mark.repeat(MEGABYTE / mark.length);
  return library;
}

/** Runs perdura-backup and sends it a signal when it has told so often how far it is. */
function runStopped(after: number, signal: string, temporary: string, ...words: string[]) {
  const { status, signal: ended } = spawnSync(
    process.execPath,
    [
      "--conditions=@perdura/source",
      "--disable-warning=ExperimentalWarning",
      STOPPED,
      `${after}`,
      signal,
      ...words,
      "--json",
    ],
    { encoding: "utf8", env: { ...process.env, TMPDIR: temporary }, timeout: 60_000 },
  );
  return status ?? ended;
}

const leftIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    isTemporaryName(name.split("/").at(-1) ?? ""),
  );

function layOut(): { folder: string; temporary: string; address: string } {
  const folder = freshFolder();
  mkdirSync(join(folder, "temporary"));
  return { folder, temporary: join(folder, "temporary"), address: pathToFileURL(join(folder, "store")).href };
}

const SIGNALS = ["SIGKILL", "SIGINT", "SIGTERM"];

test.each(SIGNALS)(
  "push that ends by %s in the middle: what is not whole is not listed, and the next run works",
  async (signal) => {
    const { folder, temporary, address } = layOut();
    const file = join(folder, "large.json");
    saveLibraryToJson(libraryOf("first"), file);
    expect(runProgram("push", "-q", address, file).code).toBe(0);
    const store = await openBackupStore(address);
    const before = await store.list();
    saveLibraryToJson(largeLibrary(6, "large"), file);
    // The snapshot, the first megabyte, one in the middle, and the last.
    for (const after of [1, 2, 4, 8]) {
      expect({ after, end: runStopped(after, signal, temporary, "push", address, file) }).toEqual({
        after,
        end: signal === "SIGKILL" ? "SIGKILL" : 130,
      });
      expect(await store.list()).toEqual(before);
      if (signal !== "SIGKILL") expect(leftIn(folder)).toEqual([]);
    }
    expect(runStopped(0, signal, temporary, "push", address, file)).toBe(0);
    expect(leftIn(folder)).toEqual([]);
    expect(await store.verify()).toMatchObject([{ ok: true }, { ok: true }]);
  },
);

test.each(SIGNALS)(
  "pull that ends by %s in the middle: the file is as it was, and the next run works",
  async (signal) => {
    const { folder, temporary, address } = layOut();
    const [file, to] = [join(folder, "large.json"), join(folder, "there", "l.json")];
    saveLibraryToJson(largeLibrary(30, "large"), file);
    expect(runProgram("push", "-q", address, file).code).toBe(0);
    mkdirSync(join(folder, "there"));
    for (const standing of [undefined, "{}"]) {
      if (standing !== undefined) writeFileSync(to, standing);
      utimesSync(standing === undefined ? file : to, 1, 1);
      for (const after of [1, 2]) {
        expect({ after, end: runStopped(after, signal, temporary, "pull", address, "large", "--to", to) }).toEqual({
          after,
          end: signal === "SIGKILL" ? "SIGKILL" : 130,
        });
        expect(existsSync(to) ? readFileSync(to, "utf8") : undefined).toBe(standing);
        if (signal !== "SIGKILL") expect(leftIn(folder)).toEqual([]);
      }
    }
    expect(runStopped(0, signal, temporary, "pull", address, "large", "--to", to)).toBe(0);
    expect(leftIn(folder)).toEqual([]);
    expect(readFileSync(to).equals(readFileSync(file))).toBe(true);
  },
);

test("pull that is killed while it replaces a database: the database is as it was, and the next run works", async () => {
  const { folder, address } = layOut();
  const path = join(folder, "l.db");
  saveLibraryToSqlite(largeLibrary(30, "stored"), path);
  expect(runProgram("push", "-q", address, path).code).toBe(0);
  saveLibraryToSqlite(largeLibrary(30, "standing"), path);
  const standing = loadLibraryFromSqlite(path);
  const child = startProgram("pull", "-q", "--overwrite", address, "l", "--to", path);
  const end = endOf(child);
  // From its first page on, the transaction has a journal.
  while (!existsSync(`${path}-journal`) && child.exitCode === null) await turn();
  child.kill("SIGKILL");
  expect(await end).toBe("SIGKILL");
  expect(loadLibraryFromSqlite(path)).toEqual(standing);
  expect(runProgram("pull", "-q", "--overwrite", address, "l", "--to", path).code).toBe(0);
  expect([...loadLibraryFromSqlite(path).patterns.keys()][0]).toBe("stored-0");
  expect(leftIn(folder)).toEqual([]);
});
