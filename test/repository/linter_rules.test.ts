import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
// @ts-expect-error -- configuration of the linter, which is plain JavaScript
import { LAYERS, OTHER_FILES, PACKAGES } from "../../dev/tools/lint/layers.mjs";
import { lintSources } from "../refused_sources.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A source that imports from a module. */
const from = (name: string): string => `import { a } from "${name}"; export const b = a;`;

/** Sources, by name, that a rule of this repository's linter must refuse or allow. */
interface Sources {
  rule: string;
  refused: Record<string, string>;
  allowed: Record<string, string>;
}

const READ = 'import { readFileSync } from "node:fs"; export const bytes = readFileSync("m.db");';
const DRIVER = 'import Database from "better-sqlite3"; export const database = new Database("m.db");';
const OTHER_PROMISE = 'import { readFile } from "node:fs/promises"; export const bytes = readFile("m.db");';
const FOLDER = 'import { mkdtempSync } from "node:fs"; export const folder = mkdtempSync("a");';

/** Rules in the words of CONTRIBUTING.md and test/README.md: the linter refuses this. */
const RULES: Record<string, Sources> = {
  "imports against the direction between packages": {
    rule: "perdura(packages)",
    refused: {
      "packages/internals/src/line.ts": from("@perdura/v16"),
      "packages/internals/src/kit.ts": from("@perdura/cli/ask.js"),
      "packages/internals/src/deep/published.ts": from("perdura"),
      "packages/v15/src/kit.ts": from("@perdura/cli/ask.js"),
      "packages/v15/src/line.ts": from("perdura/persistence"),
      "packages/v15/src/other_line.ts": from("perdura-16"),
      "packages/v16/src/server.ts": 'import type { A } from "@perdura/postgres"; export type B = A;',
      "packages/v16/src/later.ts": 'export const later = import("@perdura/migrator");',
      "packages/v16/src/type.ts": 'export type Kit = import("@perdura/cli/ask.js").Ask;',
      "packages/postgres/src/program.ts": 'export * from "@perdura/migrator";',
      "packages/postgres/src/line.ts": 'export { a } from "@perdura/v16";',
      "packages/otel/src/line.ts": from("@perdura/v16"),
      "packages/mcp/src/line.ts": from("@perdura/v16"),
      "packages/mcp/src/server_package.ts": from("@perdura/postgres"),
      "packages/backup/src/program.ts": from("@perdura/migrator"),
      "packages/backup/src/server.ts": from("@perdura/postgres"),
      "packages/summary/src/program.ts": from("@perdura/inspect"),
      "packages/migrator/src/program.ts": from("@perdura/inspect"),
      "packages/migrator/src/line.ts": from("perdura-15"),
      "packages/migrator/src/server.ts": from("@perdura/postgres/tables"),
      "packages/inspect/src/line.ts": from("@perdura/v15"),
      "packages/inspect/src/server.ts": 'export { a } from "@perdura/postgres";',
      "packages/inspect/src/suite.ts": from("@perdura/conformance"),
      "packages/cli/src/shared.ts": from("@perdura/internals/text/describe.js"),
      "packages/conformance/src/shared.ts": from("@perdura/internals/text/describe.js"),
      "packages/conformance/src/line.ts": from("perdura-16"),
      "packages/conformance/src/adapter.ts": from("../adapters/v16.ts"),
      "packages/conformance/adapters/shared.ts": from("@perdura/internals/text/describe.js"),
      "packages/v15/src/path.ts": from("../../internals/src/text/describe.ts"),
      "packages/v15/src/itself.ts": from("@perdura/v15"),
      "packages/backup/src/tool.ts": from("../../../dev/tools/bundle.ts"),
      "packages/backup/src/deep/test.ts": from("../../test/folder.ts"),
      "packages/conformance/src/test.ts": from("../../../test/fresh_folder.ts"),
      "packages/conformance/src/tool.ts": from("../../../dev/selftest/src/results.ts"),
      "packages/migrator/src/servers.ts": from("@perdura/test-servers/postgres/database.js"),
    },
    allowed: {
      "packages/v16/src/shared.ts": from("@perdura/internals/text/describe.js"),
      "packages/v16/src/driver.ts": from("other"),
      "packages/v16/src/version.ts": from("../package.json"),
      "packages/backup/src/kit.ts": from("@perdura/cli/ask.js"),
      "packages/migrator/src/summary.ts": from("@perdura/summary/document.js"),
      "packages/migrator/src/server_type.ts": 'import type { A } from "@perdura/postgres"; export type B = A;',
      "packages/migrator/src/server_later.ts": 'export const later = import("@perdura/postgres");',
      "packages/inspect/src/program.ts": from("@perdura/migrator"),
      "packages/conformance/src/kit.ts": from("@perdura/cli/ask.js"),
      "packages/conformance/adapters/line.ts": from("perdura-16/persistence"),
      "packages/conformance/adapters/suite.ts": from("../src/protocol/messages.ts"),
      "packages/migrator/test/line.ts": from("@perdura/v16"),
      "dev/soak/src/line.ts": from("@perdura/v16"),
    },
  },
  "imports that go up between the folders of a package, at any depth, types included": {
    rule: "perdura(layers)",
    refused: {
      "packages/migrator/src/io/up.ts": from("../commands/plan.ts"),
      "packages/migrator/src/io/child/up.ts": 'import type { A } from "../../find/walk.ts"; export type B = A;',
      "packages/migrator/src/archive/up.ts": 'export { a } from "../database/inspect/inspect.ts";',
      "packages/migrator/src/database/migrate/up.ts": 'export * from "../../library/survey.ts";',
      "packages/migrator/src/core/up.ts": 'export const up = import("../io/backup.ts");',
      "packages/migrator/src/core/type.ts": 'export type Up = import("../io/backup.ts").Up;',
      "packages/migrator/src/archive/tree/up.ts": from("../format/size.ts"),
      "packages/migrator/src/io/pages/up.ts": from("../child/workers.ts"),
      "packages/internals/src/metrics/trends/up.ts": from("../rollup/reading.ts"),
      "packages/internals/src/errors/up.ts": from("../files/places.ts"),
      "packages/backup/src/stores/remote/up.ts": from("../s3/client.ts"),
      "packages/conformance/src/protocol/up.ts": from("../corpus/case.ts"),
      "packages/conformance/src/runner/up.ts": from("../report/terminal.ts"),
      "packages/conformance/src/report/html/up.ts": from("../formats.ts"),
      "packages/postgres/src/layout/up.ts": from("../metrics/fold.ts"),
      "packages/summary/src/page/client/up.ts": from("../figures.ts"),
      "dev/bench/src/peers/up.ts": from("../run/run_row.ts"),
      // A file that the order does not name is above the folders; a file that it names has its place.
      "packages/internals/src/metrics/rollup/up.ts": from("../collector_base.ts"),
      "packages/internals/src/metrics/stats.ts": from("./collector_base.ts"),
      // A new folder needs a place.
      "packages/migrator/src/new/file.ts": "export const a = 1;",
      "packages/v16/src/new/file.ts": "export const a = 1;",
      "packages/internals/src/json/new/file.ts": "export const a = 1;",
    },
    allowed: {
      "packages/migrator/src/commands/down.ts": from("../io/backup.ts"),
      "packages/migrator/src/io/sibling.ts": from("./backup.ts"),
      "packages/migrator/src/io/down.ts": from("./child/workers.ts"),
      "packages/migrator/src/archive/format/down.ts": from("../tree/walk_tree.ts"),
      "packages/migrator/src/index.ts": 'export { plan } from "./commands/plan.ts";',
      "packages/internals/src/metrics/rollup/down.ts": from("../stats.ts"),
      "packages/internals/src/metrics/collector.ts": from("./rollup/reading.ts"),
      "packages/migrator/test/io/any.ts": from("../../src/cli/main.ts"),
    },
  },
  "to open a file that may be a database in any way but one": {
    rule: "no-restricted-imports",
    refused: {
      ...Object.fromEntries(
        ["internals", "v15", "v16", "postgres", "migrator", "backup", "inspect", "summary"].flatMap((name) => [
          [`packages/${name}/src/whole.ts`, READ],
          [`packages/${name}/src/promise.ts`, OTHER_PROMISE],
          [`packages/${name}/src/driver.ts`, DRIVER],
        ]),
      ),
      "packages/migrator/src/database/stream.ts":
        'import { createReadStream } from "node:fs"; export const bytes = createReadStream("m.db");',
      "packages/migrator/src/database/copy.ts": 'import { copyFileSync as copy } from "node:fs"; copy("m.db", "n.db");',
      "packages/migrator/src/database/all.ts":
        'import * as fs from "node:fs"; export const bytes = fs.readFileSync("m.db");',
      "packages/v16/src/default.ts": 'import fs from "node:fs"; export const bytes = fs.readFileSync("m.db");',
      "packages/v16/src/again.ts": 'export { openSync } from "node:fs";',
    },
    allowed: {
      "packages/migrator/src/io/child/any.ts": READ,
      "packages/migrator/src/database/size.ts":
        'import { statSync } from "node:fs"; export const size = statSync("m.db").size;',
      "packages/v16/src/type.ts": 'import type Database from "better-sqlite3"; export type Handle = Database.Database;',
      "packages/conformance/src/inspect/driver.ts": DRIVER,
    },
  },
  "to load modules that open files where the restrictions do not apply": {
    rule: "perdura(static-imports)",
    refused: {
      "packages/v16/src/later.ts": 'export const later = import("node:fs");',
      "packages/backup/src/later.ts": 'export const later = import("better-sqlite3");',
      "packages/migrator/src/built_in.ts": 'export const fs = process.getBuiltinModule("node:fs");',
    },
    allowed: {
      "packages/migrator/src/module.ts": 'export const later = import("@perdura/postgres");',
      "packages/cli/src/built_in.ts": 'export const os = process.getBuiltinModule("node:os");',
    },
  },
  "numbers of exit codes in programs, and tables of them outside of the kit": {
    rule: "perdura(exit-codes)",
    refused: {
      "packages/migrator/src/copy/report.ts": "export const report = { exit_code: 3 };",
      "packages/migrator/src/commands/outcome.ts":
        "export const conclude = (report: { exit_code: number }) => void (report.exit_code = 4);",
      "packages/migrator/src/cli/next.ts":
        "export const busy = (report: { exit_code: number }) => report.exit_code === 5;",
      "packages/migrator/src/io/end.ts": "export const end = () => process.exit(1);",
      "packages/backup/src/cli/end.ts": "process.exitCode = 1;",
      "packages/backup/src/cli/table.ts":
        'import { EXIT } from "@perdura/cli/exit_codes.js"; export const CODES = { PERDURA_BUSY: EXIT.busy };',
      "packages/inspect/src/cli/result.ts": 'export const result = { code: 1, summary: "failed" };',
      "packages/conformance/src/conclude.ts":
        "export const conclude = (broken: boolean) => ({ exit_code: broken ? 1 : 0 });",
      "packages/conformance/src/judge.ts":
        "export const isJudged = ({ exit_code }: { exit_code: number }) => exit_code !== 1;",
      "packages/cli/src/end.ts": "export const end = () => process.exit(2);",
    },
    allowed: {
      "packages/migrator/src/core/report.ts": "export interface Report { exit_code: 0 | 1 }",
      "packages/migrator/src/cli/result.ts":
        'export const result = (report: { exit_code: number }) => ({ code: report.exit_code, end: "done" });',
      "packages/migrator/src/io/child/end.ts": "export const end = () => process.exit();",
      "packages/cli/src/start.ts":
        "export const start = async (main: () => Promise<number>) => process.exit(await main());",
      "packages/cli/src/codes.ts":
        'import { EXIT } from "./exit_codes.ts"; export const CODES = { PERDURA_BUSY: EXIT.busy };',
      "packages/conformance/src/name.ts":
        'import { EXIT } from "@perdura/cli/exit_codes.js"; export const result = { code: EXIT.done };',
    },
  },
  "temporary folders of tests and tools that do not come from test/, and tests of packages in the soak": {
    rule: "no-restricted-imports",
    refused: {
      "packages/backup/test/folder.ts": FOLDER,
      "test/lines/folder.ts": FOLDER,
      "dev/tools/folder.ts": FOLDER,
      "dev/soak/src/folder.ts": FOLDER,
      "dev/soak/src/support.ts": from("../../../packages/backup/test/folder.ts"),
    },
    allowed: {
      "test/temporary_folder.ts": FOLDER,
      "dev/soak/src/shared.ts": from("../../../test/temporary_folder.ts"),
    },
  },
};

describe("the linter refuses", () => {
  let refusedBy: (rule: string) => string[];
  beforeAll(() => {
    // Several rules have a source of the same name, so each has its own directory.
    const lints = Object.entries(RULES).map(
      ([what, { refused, allowed }]) => [what, lintSources({ ...refused, ...allowed })] as const,
    );
    refusedBy = (what) => new Map(lints).get(what)?.(RULES[what]?.rule as string) ?? [];
  });

  test.each(Object.keys(RULES))("%s", (what) => {
    expect(refusedBy(what).toSorted()).toEqual(Object.keys(RULES[what]?.refused ?? {}).toSorted());
  });
});

test("every name in an order exists, and every package has its place", () => {
  for (const [folder, order] of Object.entries<string[] | null>(LAYERS))
    for (const name of order ?? [])
      expect(name === OTHER_FILES || existsSync(join(ROOT, folder, name)), `${folder}/${name}`).toBe(true);
  const packages = readdirSync(join(ROOT, "packages")).filter((name) =>
    existsSync(join(ROOT, "packages", name, "src")),
  );
  expect(Object.keys(PACKAGES).toSorted()).toEqual([...packages, "conformance/adapters"].toSorted());
});
