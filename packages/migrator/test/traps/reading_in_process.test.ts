import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { migrate, type ProgressEvent } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../support/legacy_database.ts";
import { runBeside } from "../support/program.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** Whether the linter of this repository takes such a line in a source file of the migrator. */
function lints(line: string, file = "databases/any.ts"): boolean {
  const folder = freshFolder();
  const path = join(folder, "packages/migrator/src", file);
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(join(ROOT, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  writeFileSync(path, `${line}\n`);
  const program = join(ROOT, "node_modules/.bin/oxlint");
  const { stdout } = spawnSync(program, ["--deny-warnings", "packages"], { cwd: folder, encoding: "utf8" });
  return !stdout.includes("no-restricted-imports");
}

test.each([
  'import { readFileSync } from "node:fs"; export const bytes = readFileSync("m.db");',
  'import { createReadStream } from "node:fs"; export const bytes = createReadStream("m.db");',
  'import { copyFileSync as copy } from "node:fs"; copy("m.db", "n.db");',
  'import * as fs from "node:fs"; export const bytes = fs.readFileSync("m.db");',
  'import { readFile } from "node:fs/promises"; export const bytes = readFile("m.db");',
])("the linter refuses to read files in this process: %s", (line) => {
  expect(lints(line)).toBe(false);
});

test("the linter lets the child process read, and this one look at names and times", () => {
  expect(lints('import { readFileSync } from "node:fs"; export const b = readFileSync("m");', "child/any.ts")).toBe(
    true,
  );
  expect(lints('import { statSync } from "node:fs"; export const size = statSync("m.db").size;')).toBe(true);
});

test.each([
  ["a rollback journal", "delete", FIELD_A, "metrics"],
  ["a write-ahead log", "wal", FIELD_A, "metrics"],
  ["a rollback journal, documented layout", "delete", DOCUMENTED_15, "interactions"],
] as const)("nobody else can write while the lock is held: %s", async (_what, journal, schema, table) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, `PRAGMA journal_mode = ${journal}`, schema);
  addRows(path, table, 500);
  const answers: string[] = [];
  const onProgress = ({ stage }: ProgressEvent): void => {
    if (["backup", "change", "verify", "commit"].includes(stage)) answers.push(runBeside("intruder.ts", path, table));
  };
  expect((await migrate(path, { onProgress })).exit_code).toBe(0);
  expect(answers.length).toBeGreaterThan(4);
  expect(new Set(answers)).toEqual(new Set(["SQLITE_BUSY"]));
  expect(query(path, "SELECT count(*) FROM interactions")).toEqual([[500n]]);
});
