import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isTemporaryName } from "@perdura/internals/files/temporary_names.js";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { loadLibraryFromSqlite } from "@perdura/internals/patterns/sqlite_load.js";
import { saveLibraryToSqlite } from "@perdura/internals/patterns/sqlite_save.js";
import type { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { expect, test } from "vitest";
import { openBackupStore } from "../../src/index.ts";
import { freshFolder, libraryOf } from "../elements.ts";
import { endOfStopped, runStopped } from "./program.ts";
import { runProgram, runProgramIn } from "./run_program.ts";

const MEGABYTE = 1 << 20;

/** A library of this many megabytes. */
function largeLibrary(megabytes: number, mark: string): PatternLibrary {
  const library = libraryOf(...Array.from({ length: megabytes }, (_unused, index) => `${mark}-${index}`));
  for (const pattern of library.patterns.values()) pattern.description = mark.repeat(MEGABYTE / mark.length);
  return library;
}

/** Runs perdura-backup, and sends it a signal after this number of progress events. */
const endAt = (after: number, signal: string, temporary: string, ...words: string[]) =>
  endOfStopped("stop_at_progress", `${after} ${signal}`, [...words, "--json"], temporary);

const repeatIn = (temporary: string, ...words: string[]) => runProgramIn({ env: { TMPDIR: temporary } }, ...words);

const leftIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    isTemporaryName(name.split("/").at(-1) ?? ""),
  );

function layOut(): { folder: string; temporary: string; address: string } {
  const folder = freshFolder();
  mkdirSync(join(folder, "temporary"));
  return { folder, temporary: join(folder, "temporary"), address: pathToFileURL(join(folder, "store")).href };
}

// The snapshot, the first megabyte, one in the middle, and the last. SIGTERM is handled like SIGINT.
test.each([
  ["SIGKILL", [1, 2, 4, 8]],
  ["SIGINT", [1, 8]],
  ["SIGTERM", [4]],
] as const)("push that ends by %s lists no incomplete version, and the next run works", async (signal, moments) => {
  const { folder, temporary, address } = layOut();
  const file = join(folder, "large.json");
  saveLibraryToJson(libraryOf("first"), file);
  expect((await runProgram("push", "-q", address, file)).code).toBe(0);
  const store = await openBackupStore(address);
  const before = await store.list();
  saveLibraryToJson(largeLibrary(6, "large"), file);
  for (const after of moments) {
    expect({ after, end: await endAt(after, signal, temporary, "push", address, file) }).toEqual({
      after,
      end: signal === "SIGKILL" ? "SIGKILL" : 130,
    });
    expect(await store.list()).toEqual(before);
    if (signal !== "SIGKILL") expect(leftIn(folder)).toEqual([]);
  }
  expect(await repeatIn(temporary, "push", address, file)).toMatchObject({ code: 0 });
  expect(leftIn(folder)).toEqual([]);
  expect(await store.verify()).toMatchObject([{ ok: true }, { ok: true }]);
});

// Without and with an existing file; after the first piece and after the second.
test.each([
  [
    "SIGKILL",
    [
      [undefined, 1],
      [undefined, 2],
      ["{}", 1],
      ["{}", 2],
    ],
  ],
  [
    "SIGINT",
    [
      [undefined, 1],
      ["{}", 2],
    ],
  ],
  ["SIGTERM", [["{}", 1]]],
] as const)("pull that ends by %s does not change the file, and the next run continues it", async (signal, moments) => {
  const { folder, temporary, address } = layOut();
  const [file, to] = [join(folder, "large.json"), join(folder, "there", "l.json")];
  saveLibraryToJson(largeLibrary(10, "large"), file);
  expect((await runProgram("push", "-q", address, file)).code).toBe(0);
  mkdirSync(join(folder, "there"));
  for (const [existing, after] of moments) {
    if (existing !== undefined) writeFileSync(to, existing);
    utimesSync(existing === undefined ? file : to, 1, 1);
    expect({ after, end: await endAt(after, signal, temporary, "pull", address, "large", "--to", to) }).toEqual({
      after,
      end: signal === "SIGKILL" ? "SIGKILL" : 130,
    });
    expect(existsSync(to) ? readFileSync(to, "utf8") : undefined).toBe(existing);
    expect(leftIn(folder)).toEqual([expect.stringMatching(/^there\/\.l\.json\..*\.perdura-part$/)]);
  }
  expect(await repeatIn(temporary, "pull", address, "large", "--to", to)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(" An interrupted pull had downloaded "),
  });
  expect(leftIn(folder)).toEqual([]);
  expect(readFileSync(to).equals(readFileSync(file))).toBe(true);
});

test("pull that ends by SIGINT reports that the next one continues, and push that it left nothing", async () => {
  const { folder, temporary, address } = layOut();
  const [file, to] = [join(folder, "large.json"), join(folder, "l.json")];
  saveLibraryToJson(largeLibrary(10, "large"), file);
  const pushed = await runStopped("stop_at_progress", "2 SIGINT", ["push", address, file, "--json"], temporary);
  expect(pushed.stderr).toMatch(/Interrupted\. No incomplete version or file was left\.\n$/);
  expect((await runProgram("push", "-q", address, file)).code).toBe(0);
  const pull = ["pull", address, "large", "--to", to, "--json"];
  const pulled = await runStopped("stop_at_progress", "1 SIGINT", pull, temporary);
  expect(pulled.stderr).toMatch(
    /Interrupted\. The file was not changed\. The next pull of this version into it continues with the bytes that arrived\.\n$/,
  );
  expect(existsSync(to)).toBe(false);
});

test("pull that is killed while it replaces a database does not change it, and the next run works", async () => {
  const { folder, temporary, address } = layOut();
  const path = join(folder, "l.db");
  // Three steps of the copy.
  saveLibraryToSqlite(largeLibrary(10, "stored"), path);
  expect((await runProgram("push", "-q", address, path)).code).toBe(0);
  saveLibraryToSqlite(largeLibrary(10, "existing"), path);
  const existing = loadLibraryFromSqlite(path);
  const pull = ["pull", "-q", "--overwrite", address, "l", "--to", path];
  // The transaction has a journal from its first page on.
  expect(await endOfStopped("kill_at_file", `${path}-journal`, pull, temporary)).toBe("SIGKILL");
  expect(existsSync(`${path}-journal`)).toBe(true);
  expect(loadLibraryFromSqlite(path)).toEqual(existing);
  expect((await runProgram(...pull)).code).toBe(0);
  expect([...loadLibraryFromSqlite(path).patterns.keys()][0]).toBe("stored-0");
  expect(leftIn(folder)).toEqual([]);
});
