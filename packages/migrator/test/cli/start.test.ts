import { spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../support/folder.ts";
import { DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { migratorCommand } from "../../../../test/programs.ts";
import { needs, ON_LINUX } from "../../../../test/needs.ts";

/** Runs the program after a module that changes its environment. */
function runAfter(code: string, ...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const [node = "", ...rest] = migratorCommand(...words);
  const module = join(freshFolder(), "before.mjs");
  writeFileSync(module, code);
  return spawnSync(node, ["--import", module, ...rest], { encoding: "utf8" });
}

test.each([
  ["18.20.8", 2],
  ["21.7.3", 2],
  ["22.0.0", 2],
  ["22.13.1", 2],
  ["22.14.0", 0],
  ["23.0.0", 0],
])("Node.js %s ends with exit code %i", (version, code) => {
  const pretend = `Object.defineProperty(process.versions, "node", { value: "${version}" })`;
  const { status, stdout, stderr } = runAfter(pretend, "--version");
  expect(status).toBe(code);
  if (code === 0) expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  else
    expect({ stdout, stderr }).toEqual({
      stdout: "",
      stderr: `perdura-migrate needs Node.js 22.14 or newer; this is Node.js ${version}. Nothing was changed.\n`,
    });
});

describe("keeps compiled code", () => {
  const start = (environment: NodeJS.ProcessEnv): number | null => {
    const { NODE_COMPILE_CACHE: _, XDG_CACHE_HOME: __, ...others } = process.env;
    const [node = "", ...rest] = migratorCommand("--version");
    return spawnSync(node, rest, { env: { ...others, ...environment } }).status;
  };

  test("in a directory that only the user can read and write", () => {
    const folder = freshFolder();
    expect(start({ XDG_CACHE_HOME: folder })).toBe(0);
    expect(readdirSync(join(folder, "perdura"))).toHaveLength(1);
    if (process.platform !== "win32") expect(statSync(join(folder, "perdura")).mode & 0o777).toBe(0o700);
  });

  test("below the home directory", ON_LINUX, () => {
    const home = freshFolder();
    expect(start({ HOME: home })).toBe(0);
    expect(readdirSync(join(home, ".cache", "perdura"))).toHaveLength(1);
  });

  test("not if the home directory is missing, a file, relative, or in a file system of the kernel", () => {
    const home = join(freshFolder(), "missing");
    const file = join(freshFolder(), "file");
    writeFileSync(file, "");
    for (const HOME of [home, file, ".", "/proc/nothing"]) expect(start({ HOME })).toBe(0);
    expect([home, ".cache"].filter((path) => existsSync(path))).toEqual([]);
  });

  test("not in a directory of another user", needs("root", process.getuid?.() !== 0), () => {
    const folder = freshFolder();
    mkdirSync(join(folder, "perdura"));
    chownSync(join(folder, "perdura"), 65534, 65534);
    expect(start({ XDG_CACHE_HOME: folder })).toBe(0);
    expect(readdirSync(join(folder, "perdura"))).toEqual([]);
  });

  test("not if the user forbids it or chose another directory", () => {
    const [folder, other] = [freshFolder(), freshFolder()];
    mkdirSync(join(other, "chosen"));
    expect(start({ XDG_CACHE_HOME: folder, NODE_DISABLE_COMPILE_CACHE: "1" })).toBe(0);
    expect(start({ XDG_CACHE_HOME: folder, NODE_COMPILE_CACHE: join(other, "chosen") })).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(join(other, "chosen"))).toHaveLength(1);
  });
});

test("reports an unexpected error with its stack and without secrets", () => {
  const code = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
    fs.lstatSync = () => { throw new TypeError("a fault at postgres://u:secret@h/d"); }; syncBuiltinESMExports()`;
  const folder = freshFolder();
  makeDatabase(join(folder, "m.db"), DOCUMENTED_15);
  const { status, stdout, stderr } = runAfter(code, "plan", folder);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toMatch(/^perdura-migrate: Failed: TypeError: a fault at postgres:\/\/…@h\/d\n\s+at .*lstatSync/m);
  expect(stderr).not.toContain("secret");
});
