import { realpathSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { lintSources } from "../../../../test/refused_sources.ts";
import { migrate, type ProgressEvent } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { runBeside } from "../support/program.ts";

/** Sources of the migrator, of a single line each, that a rule of this repository's linter must refuse or allow. */
const SOURCES = {
  "no-restricted-imports": {
    refused: {
      "database/whole.ts": 'import { readFileSync } from "node:fs"; export const bytes = readFileSync("m.db");',
      "database/stream.ts":
        'import { createReadStream } from "node:fs"; export const bytes = createReadStream("m.db");',
      "database/copy.ts": 'import { copyFileSync as copy } from "node:fs"; copy("m.db", "n.db");',
      "database/all.ts": 'import * as fs from "node:fs"; export const bytes = fs.readFileSync("m.db");',
      "database/promise.ts": 'import { readFile } from "node:fs/promises"; export const bytes = readFile("m.db");',
    },
    allowed: {
      "io/child/any.ts": 'import { readFileSync } from "node:fs"; export const bytes = readFileSync("m");',
      "database/size.ts": 'import { statSync } from "node:fs"; export const size = statSync("m.db").size;',
    },
  },
  layers: {
    refused: {
      "io/up.ts": 'import { plan } from "../commands/plan.ts"; export const up = plan;',
      "io/child/up.ts": 'import type { Found } from "../../find/walk.ts"; export type Up = Found;',
      "archive/up.ts": 'export { inspect } from "../database/inspect/inspect.ts";',
      "database/forward/up.ts": 'export * from "../../library/survey.ts";',
      "core/up.ts": 'export const up = import("../io/backup.ts");',
    },
    allowed: {
      "commands/down.ts": 'import { backup } from "../io/backup.ts"; export const down = backup;',
      "io/sibling.ts": 'import { backup } from "./backup.ts"; export const sibling = backup;',
      "index.ts": 'export { plan } from "./commands/plan.ts";',
    },
  },
  "exit-codes": {
    refused: {
      "copy/report.ts": "export const report = { exit_code: 3 };",
      "copy/conclude.ts": "export const conclude = (report: { exit_code: number }) => void (report.exit_code = 4);",
      "cli/next.ts": "export const busy = (report: { exit_code: number }) => report.exit_code === 5;",
      "cli/end.ts": "process.exitCode = 1;",
      "io/end.ts": "export const end = () => process.exit(1);",
    },
    allowed: {
      "commands/outcome.ts": "export const conclude = (report: { exit_code: number }) => void (report.exit_code = 4);",
      "core/report.ts": "export interface Report { exit_code: 0 | 1 }",
      "cli/result.ts":
        'export const result = (report: { exit_code: number }) => ({ code: report.exit_code, end: "done" });',
      "io/child/end.ts": "export const end = () => process.exit();",
    },
  },
} satisfies Record<string, Record<"refused" | "allowed", Record<string, string>>>;

describe("the linter", () => {
  let refusedBy: (rule: string) => string[];
  beforeAll(() => {
    const folder = "packages/migrator/src/";
    const all = Object.values(SOURCES).flatMap(({ refused, allowed }) => Object.entries({ ...refused, ...allowed }));
    const lint = lintSources(Object.fromEntries(all.map(([file, line]) => [`${folder}${file}`, line])));
    refusedBy = (rule) => lint(rule).map((path) => path.slice(folder.length));
  });

  test.each([
    [
      "to read files in this process, but allows it in the child process, and allows names and times",
      "no-restricted-imports",
    ],
    ["imports that go up between layers, types included, and allows all others", "layers"],
    ["exit codes outside of one file, but allows a status and reading a code", "exit-codes"],
  ] as const)("refuses %s", (_what, rule) => {
    expect(refusedBy(rule).toSorted()).toEqual(Object.keys(SOURCES[rule].refused).toSorted());
  });
});

test.each([
  ["a rollback journal", "delete", FIELD_A, "metrics"],
  ["a write-ahead log", "wal", FIELD_A, "metrics"],
  ["a rollback journal, documented layout", "delete", DOCUMENTED_15, "interactions"],
] as const)("no other process can write while the lock is held: %s", async (_what, journal, schema, table) => {
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

test.each([
  ["a rollback journal", "delete", FIELD_A, "metrics"],
  ["a write-ahead log", "wal", FIELD_A, "metrics"],
  ["a rollback journal, documented layout", "delete", DOCUMENTED_15, "interactions"],
] as const)("nor if a program does the work on the files itself: %s", (_what, journal, schema, table) => {
  const path = join(realpathSync(freshFolder()), "m.db");
  makeDatabase(path, `PRAGMA journal_mode = ${journal}`, schema);
  addRows(path, table, 500);
  const { exit_code, answers, open } = JSON.parse(runBeside("migrate_itself.ts", path, table)) as {
    exit_code: number;
    answers: string[];
    open: number;
  };
  expect(exit_code).toBe(0);
  expect(answers.length).toBeGreaterThan(4);
  expect(new Set(answers)).toEqual(new Set(["SQLITE_BUSY"]));
  expect(open).toBe(0);
  expect(query(path, "SELECT count(*) FROM interactions")).toEqual([[500n]]);
});
