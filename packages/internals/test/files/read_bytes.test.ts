import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readWhole, withFileBytes } from "../../src/files/read_bytes.ts";
import type { ReadBytes } from "../../src/json/byte_window.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { openFilesIn } from "./open_files_in.ts";
import { ON_LINUX, ON_POSIX } from "../../../../test/needs.ts";

/** Reads a place twice: data that was read once may be requested again. */
function twice(read: ReadBytes): string[] {
  const place = new Uint8Array(4);
  return [2, 2].map((position) => Buffer.from(place.subarray(0, read(place, position))).toString());
}

test("keeps a file open only while it is read", ON_LINUX, () => {
  const folder = freshFolder();
  const path = join(folder, "file");
  writeFileSync(path, "0123456789");
  expect(withFileBytes(path, (read) => [...twice(read), openFilesIn(folder)])).toEqual(["2345", "2345", 1]);
  expect(openFilesIn(folder)).toBe(0);
  expect(readWhole(path).toString()).toBe("0123456789");
  expect(openFilesIn(folder)).toBe(0);
  const fault = new Error("no more");
  expect(() =>
    withFileBytes(path, () => {
      throw fault;
    }),
  ).toThrow(fault);
  expect(openFilesIn(folder)).toBe(0);
});

test("reads a range of a pipe twice", ON_POSIX, () => {
  const path = join(freshFolder(), "pipe");
  expect(spawnSync("mkfifo", [path]).status).toBe(0);
  const writer = spawn("sh", ["-c", 'printf 0123456789 > "$0"', path], { stdio: "ignore" });
  expect(withFileBytes(path, twice)).toEqual(["2345", "2345"]);
  writer.unref();
});
