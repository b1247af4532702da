import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { BareFolder, EVERYTHING } from "../src/bare_folder.ts";

/** Returns the result of importing and requiring each name: its number of exports, or the code of the error. */
const ask = (folder: BareFolder, names: readonly string[]): Record<string, string> =>
  JSON.parse(
    folder.program(`
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const said = async (get) => { try { return Object.keys(await get()).length > 0 ? "there" : "empty"; } catch (error) { return error.code; } };
const answers = {};
for (const name of ${JSON.stringify(names)}) {
  const [imported, required] = [await said(() => import(name)), await said(async () => require(name))];
  answers[name] = imported === required ? imported : imported + ", but by require(): " + required;
}
console.log(JSON.stringify(answers));`),
  ) as Record<string, string>;

const LINES = {
  "latest-15": {
    there: ["perdura", "perdura/persistence", "perdura/package.json"],
    absent: ["perdura/pattern_persistence", "perdura/pattern_library", "perdura/metrics_collector"],
  },
  latest: {
    there: [
      "perdura",
      "perdura/pattern_persistence",
      "perdura/pattern_library",
      "perdura/metrics_collector",
      "perdura/package.json",
    ],
    absent: ["perdura/persistence"],
  },
} as const;

describe.for(["latest-15", "latest"] as const)("perdura@%s", (tag) => {
  test("exports the modules of its line to import and require(), and no others", () => {
    const folder = new BareFolder(inject("npmRegistry"));
    folder.install(`perdura@${tag}`);
    const { there, absent } = LINES[tag];
    const deep = [
      "perdura/dist/index.js",
      "perdura/internals",
      "perdura/persistence.js",
      "perdura/dist",
      "perdura/README.md",
    ];
    // package.json needs an import attribute, and exists for tools that require it.
    expect(ask(folder, there)).toEqual({
      ...Object.fromEntries(there.map((name) => [name, "there"])),
      "perdura/package.json": "ERR_IMPORT_ATTRIBUTE_MISSING, but by require(): there",
    });
    expect(ask(folder, [...absent, ...deep])).toEqual(
      Object.fromEntries([...absent, ...deep].map((name) => [name, "ERR_PACKAGE_PATH_NOT_EXPORTED"])),
    );
    const installed = folder.fine("npm", "ls", "--all", "--parseable").trim().split("\n").slice(1);
    expect(new Set(installed.map((path) => path.split(/node_modules[/\\]/).at(-1)))).toEqual(
      new Set(["perdura", "better-sqlite3", "node-addon-api"]),
    );
  });
});

test("the other packages export their modules to import and require(), and no others", () => {
  const folder = new BareFolder(inject("npmRegistry"));
  const packages = [
    "@perdura/migrator",
    "@perdura/postgres",
    "@perdura/backup",
    "@perdura/inspect",
    "@perdura/mcp",
    "@perdura/otel",
    "@perdura/conformance",
  ];
  // A program with data in PostgreSQL has pg; other optional packages are reported as missing only when used.
  folder.install(...EVERYTHING);
  for (const line of ["perdura", "perdura-15"]) rmSync(join(folder.path, "node_modules", line), { recursive: true });
  const there = [...packages, "@perdura/postgres/tables"];
  expect(ask(folder, there)).toEqual(Object.fromEntries(there.map((name) => [name, "there"])));
  const deep = packages.flatMap((name) => [`${name}/dist/index.js`, `${name}/internals`]);
  expect(ask(folder, deep)).toEqual(Object.fromEntries(deep.map((name) => [name, "ERR_PACKAGE_PATH_NOT_EXPORTED"])));
});
