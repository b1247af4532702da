import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { migratorCommand, migratorProgram } from "../../../../test/programs.ts";
import { freshFolder } from "../support/folder.ts";

interface Coverage {
  result: { url: string }[];
}

/** Files of the program that a run loads, without the checksums in their names, and their size. */
function loadedBy(...words: string[]): { names: string[]; bytes: number } {
  const folder = freshFolder();
  const [node = "", ...rest] = migratorCommand(...words);
  const { status, stderr } = spawnSync(node, rest, {
    encoding: "utf8",
    env: { ...process.env, NODE_V8_COVERAGE: folder },
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  const [file = ""] = readdirSync(folder);
  const { result } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Coverage;
  const paths = result
    .filter(({ url }) => url.startsWith("file:"))
    .map(({ url }) => fileURLToPath(url))
    .filter((path) => dirname(path) === dirname(migratorProgram()));
  return {
    names: [...new Set(paths.map((path) => basename(path).replace(/(?:-[\w-]{8})?\.js$/, "")))].toSorted(),
    bytes: paths.map((path) => statSync(path).size).reduce((sum, size) => sum + size, 0),
  };
}

const START = ["cli", "interrupt", "main"];
const COMMANDS = ["commands", "progress_printer"];

test("help loads only the code that reads arguments", () => {
  const { names, bytes } = loadedBy("--help");
  expect(names).toEqual(START);
  expect(bytes).toBeLessThan(80_000);
});

test("a plan of a database loads neither the code of other commands nor that of other items", () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15);
  const { names, bytes } = loadedBy("plan", path);
  expect(names).toEqual([...START, ...COMMANDS].toSorted());
  expect(bytes).toBeLessThan(700_000);
});

test("a plan of a library loads its code, but not that of states or other commands", () => {
  const path = join(freshFolder(), "library.json");
  writeFileSync(path, JSON.stringify({ patterns: [], agent_contributions: {} }));
  const { names } = loadedBy("plan", path);
  expect(names).toEqual([...START, ...COMMANDS, "libraries", "library_report"].toSorted());
});

test("up loads neither the code of down nor that of other items", () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15);
  const { names, bytes } = loadedBy("up", path);
  expect(names).toEqual([...START, ...COMMANDS, "states", "up"].toSorted());
  expect(bytes).toBeLessThan(830_000);
});
