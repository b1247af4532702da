import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { reachedByAllTests } from "../src/whole/before_tests.ts";
import { addChildCoverage } from "../src/whole/child_coverage.ts";
import { CHILD } from "../src/whole/child_settings.ts";

const PRELOAD = fileURLToPath(new URL("../src/whole/child_preload.ts", import.meta.url));
const FILE = relative(process.cwd(), "/a/one.test.ts");
const TEST = `${FILE}#one`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "perdura-child-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs a program as a test would start it, with these mutants in its way. */
function run(code: string, by: string = "/a/one.test.ts#one"): void {
  const words = ["--import", PRELOAD, "--eval", code];
  const env = { ...process.env, [CHILD]: JSON.stringify({ by, folder }) };
  const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

const reaching = (mutants: string): string => `globalThis.__stryker__.mutantCoverage = { static: ${mutants} }`;

it("counts what the programs of a test reached, once for each program", () => {
  run(reaching("{ 7: 3, 8: 1 }"));
  run(reaching("{ 7: 1 }"));
  run("0");
  const coverage = { static: {}, perTest: { [TEST]: { 8: 2 } } };
  addChildCoverage(coverage, folder, []);
  expect(coverage.perTest).toEqual({ [TEST]: { 7: 2, 8: 3 } });
  expect(readdirSync(folder)).toEqual([]);
});

it("leaves out what a program had not written to the end when it was killed", () => {
  // What a write leaves that is cut off in the middle: a program says it under another name until it is whole.
  writeFileSync(join(folder, "1-0-1.unfinished"), '{"by":"/a/one.test.ts#one","rea');
  const coverage = { static: {}, perTest: {} };
  addChildCoverage(coverage, folder, []);
  expect(coverage.perTest).toEqual({});
});

it("counts what a program reached that a file started before its tests for each of them", () => {
  run(reaching("{ 7: 3 }"), "/a/one.test.ts");
  const coverage = { static: {}, perTest: {} };
  addChildCoverage(coverage, folder, [TEST, `${FILE}#two`, `${FILE}x#three`]);
  expect(coverage.perTest).toEqual({ [TEST]: { 7: 1 }, [`${FILE}#two`]: { 7: 1 } });
});

it("counts what a program reached that is killed after it answered, for all tests of the file", async () => {
  const code = `${reaching("{ 7: 3 }")}; process.on("message", () => process.send("answer")); setInterval(() => {}, 60_000)`;
  const env = { ...process.env, [CHILD]: JSON.stringify({ by: "/a/one.test.ts#one", folder }) };
  const child = spawn(process.execPath, ["--import", PRELOAD, "--eval", code], {
    env,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.send("question");
  await once(child, "message");
  child.kill("SIGKILL");
  await once(child, "exit");
  const coverage = { static: {}, perTest: {} };
  addChildCoverage(coverage, folder, [TEST, `${FILE}#two`]);
  expect(coverage.perTest).toEqual({ [TEST]: { 7: 1 }, [`${FILE}#two`]: { 7: 1 } });
});

it("lets each test of a file notice what the file reached before them", () => {
  const coverage = { static: { 1: 2, 3: 1 }, perTest: { one: { 1: 1 } } };
  reachedByAllTests(coverage, ["one", "two"]);
  expect(coverage).toEqual({ static: {}, perTest: { one: { 1: 3, 3: 1 }, two: { 1: 2, 3: 1 } } });
  expect(() => reachedByAllTests(undefined, ["one"])).not.toThrow();
});
