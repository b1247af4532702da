import fs, { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, relative } from "node:path";
import { makeDirectory } from "@perdura/internals/files/make_directory.js";
import { expect, it, onTestFinished } from "vitest";
import { asOnPlatform } from "../../../../test/as_on_platform.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { ON_POSIX } from "../../../../test/needs.ts";

it("creates a directory and its parents, for any form of the path", () => {
  const folder = freshFolder();
  for (const path of [
    join(folder, "a", "b", "c"),
    `${folder}/d/`,
    `${folder}/e//f/./g`,
    `${folder}/h/../i`,
    relative(process.cwd(), join(folder, "j", "k")),
  ]) {
    makeDirectory(path);
    makeDirectory(path);
    expect(statSync(path).isDirectory()).toBe(true);
    expect(readdirSync(path)).toEqual([]);
  }
});

it("follows symbolic links in the path", ON_POSIX, () => {
  const folder = freshFolder();
  mkdirSync(join(folder, "real"));
  symlinkSync("real", join(folder, "link"));
  makeDirectory(join(folder, "link", "a", "b"));
  expect(readdirSync(join(folder, "real", "a"))).toEqual(["b"]);
});

it("throws if a file is in the way, and keeps the file", () => {
  const folder = freshFolder();
  writeFileSync(join(folder, "file"), "x");
  expect(() => makeDirectory(join(folder, "file"))).toThrow(/EEXIST/);
  expect(() => makeDirectory(join(folder, "file", "a"))).toThrow(/ENOTDIR/);
  expect(statSync(join(folder, "file")).size).toBe(1);
});

it("does not use the path that Node.js returns on Windows", () => {
  const path = join(freshFolder(), "a", "b");
  const make = fs.mkdirSync;
  fs.mkdirSync = ((...values: Parameters<typeof make>) => {
    make(...values);
    return "\\\\?\\C:\\a";
  }) as typeof make;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.mkdirSync = make;
    syncBuiltinESMExports();
  });
  asOnPlatform("win32");
  makeDirectory(path);
  expect(statSync(path).isDirectory()).toBe(true);
});
