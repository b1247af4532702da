import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as v16 from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ON_LINUX } from "../needs.ts";
import { programWords } from "../programs.ts";

const PROGRAM = (name: string): string[] => programWords(new URL(`../../packages/${name}/src/cli.ts`, import.meta.url));

/** Programs with their words; `J` stands for a name in Latin-1. */
const USES: [name: string, program: string, words: string][] = [
  ["plan", "migrator", "plan J"],
  ["plan of states", "migrator", "plan valid.db --states J"],
  ["up", "migrator", "up --yes J"],
  ["a backup directory", "migrator", "up --yes --backup-dir J valid.db"],
  ["states", "migrator", "states J"],
  ["copy", "migrator", "copy J copied.db"],
  ["an overview", "inspect", "J"],
  ["a page", "inspect", "valid.db --html J"],
  ["compare", "inspect", "compare valid.db J"],
  ["metrics export", "inspect", "metrics export valid.db J"],
  ["push", "backup", "push file:///missing J"],
  ["push to a directory", "backup", "push file://$PWD/J valid.db"],
  ["pull", "backup", "pull file:///missing x --to J"],
  ["check-file", "conformance", "check-file J"],
  ["an MCP server", "mcp", "J"],
];

/** Runs words of a shell in a folder; Node.js can only pass UTF-8 to a process. */
function run(folder: string, program: string, words: string): { status: number | null; stderr: string } {
  const script = `J=$(printf 'J\\374rgen.db'); exec "$@" ${words.replace("J", '"$J"').replace("$PWD/", '"$PWD"/')}`;
  const { status, stderr } = spawnSync("sh", ["-c", script, "sh", process.execPath, ...PROGRAM(program)], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, stderr: stderr.replaceAll(/\s+/g, " ") };
}

describe.each([
  ["a file with a name that is not UTF-8", true],
  ["a missing file with such a name", false],
])("%s", ON_LINUX, (_what, isThere) => {
  test.each(USES)("is refused by %s with the reason, and nothing is made", (_name, program, words) => {
    const folder = freshFolder();
    new v16.MetricsCollector(join(folder, "valid.db")).close();
    if (isThere) spawnSync("sh", ["-c", "cp valid.db $(printf 'J\\374rgen.db')"], { cwd: folder });
    const before = readdirSync(folder, "latin1");
    const { status, stderr } = run(folder, program, words);
    expect(stderr).toMatch(/J\ufffdrgen\.db: no such file or directory\. Its name has bytes that are not UTF-8/);
    expect(status).toBe(2);
    expect(readdirSync(folder, "latin1")).toEqual(before);
  });
});

test("a file whose name has U+FFFD is opened", () => {
  const folder = freshFolder();
  new v16.MetricsCollector(join(folder, "J\ufffdrgen.db")).close();
  expect(spawnSync(process.execPath, [...PROGRAM("inspect"), "J\ufffdrgen.db"], { cwd: folder }).status).toBe(0);
});
