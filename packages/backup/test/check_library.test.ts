import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkLibraryJson } from "@perdura/internals/patterns/check_library_json.js";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";
import { expect, test } from "vitest";
import { checkLibrary } from "../src/local/check_library.ts";
import { checkDatabase } from "../src/local/sqlite_copy.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

function largeLibrary(): PatternLibrary {
  const library = new PatternLibrary();
  for (let index = 0; index < 6000; index += 1)
    library.contribute("a", { id: `p${index}`, pattern_type: "t", name: "n", code: "x".repeat(1000) });
  return library;
}

/** Larger than the size from which a thread does the check. */
function largeJson(): string {
  const path = join(freshFolder(), "large.json");
  PatternPersistence.saveToJson(largeLibrary(), path);
  return path;
}

/** Error of a task, with all properties of perdura's errors. */
async function errorOf(task: () => unknown): Promise<unknown> {
  try {
    await task();
  } catch (error) {
    const { name, message } = error as Error;
    return { name, message, ...(error as object) };
  }
  return undefined;
}

test("does not block the event loop while it reads a large document", async () => {
  const path = largeJson();
  let rounds = 0;
  const turn = (): void => {
    rounds += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await checkLibrary(path, "json", path);
  clearImmediate(next);
  expect(rounds).toBeGreaterThan(20);
});

test("a fault found in the thread has the same error as in this thread", async () => {
  const path = largeJson();
  const text = readFileSync(path, "utf8");
  for (const wrong of [
    text.replace('"p5999"', '"p5998"'),
    text.slice(0, -20),
    text.replace('"version": "1', '"version": "7'),
  ]) {
    expect(wrong).not.toBe(text);
    writeFileSync(path, wrong);
    const expected = await errorOf(() => checkLibraryJson(path, "shown"));
    expect(expected).toBeDefined();
    expect(await errorOf(() => checkLibrary(path, "json", "shown"))).toEqual(expected);
  }
});

test("refuses a damaged database and accepts an intact one", async () => {
  const path = join(freshFolder(), "large.db");
  PatternPersistence.saveToSqlite(largeLibrary(), path);
  await checkLibrary(path, "sqlite", path);
  const bytes = readFileSync(path);
  bytes.fill(0xee, bytes.length - 40_000);
  writeFileSync(path, bytes);
  const expected = await errorOf(() => checkDatabase(path, "shown"));
  expect(expected).toMatchObject({ code: "PERDURA_CORRUPT_DATA" });
  expect(await errorOf(() => checkLibrary(path, "sqlite", "shown"))).toEqual(expected);
});

test("works in a process that may not start threads", () => {
  const path = largeJson();
  const program = fileURLToPath(new URL("programs/check_large.ts", import.meta.url));
  const check = (): string =>
    execFileSync(
      process.execPath,
      ["--permission", "--allow-fs-read=*", "--allow-addons", "--conditions=@perdura/source", program, path],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    );
  expect(check()).toBe("fine");
  writeFileSync(path, readFileSync(path, "utf8").slice(0, -20));
  expect(check()).toBe("PERDURA_JSON_DECODE");
});

test("stops when the signal is aborted", async () => {
  const path = largeJson();
  const reason = new Error("enough");
  const controller = new AbortController();
  const checked = checkLibrary(path, "json", path, controller.signal);
  controller.abort(reason);
  await expect(checked).rejects.toBe(reason);
  await expect(checkLibrary(path, "json", path, controller.signal)).rejects.toBe(reason);
});
