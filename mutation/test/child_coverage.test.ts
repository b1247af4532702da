import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addChildCoverage } from "../src/whole/child_coverage.ts";
import { CHILD } from "../src/whole/child_settings.ts";

const PRELOAD = fileURLToPath(new URL("../src/whole/child_preload.ts", import.meta.url));
const TEST = `${relative(process.cwd(), "/a/one.test.ts")}#one`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "perdura-child-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs a program as a test would start it, with these mutants in its way. */
function run(code: string): void {
  const words = ["--import", PRELOAD, "--eval", code];
  const env = { ...process.env, [CHILD]: JSON.stringify({ test: "/a/one.test.ts#one", folder }) };
  const { status, stderr } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

it("counts what the programs of a test reached, once for each program", () => {
  const reaching = (mutants: string): string => `globalThis.__stryker__.mutantCoverage = { static: ${mutants} }`;
  run(reaching("{ 7: 3, 8: 1 }"));
  run(reaching("{ 7: 1 }"));
  run("0");
  const coverage = { static: {}, perTest: { [TEST]: { 8: 2 } } };
  addChildCoverage(coverage, folder);
  expect(coverage.perTest).toEqual({ [TEST]: { 7: 2, 8: 3 } });
  expect(readdirSync(folder)).toEqual([]);
});

it("leaves out what a program had not written to the end when it was killed", () => {
  // What a write leaves that is cut off in the middle: a program says it under another name until it is whole.
  writeFileSync(join(folder, "1-0-1.unfinished"), '{"test":"/a/one.test.ts#one","rea');
  const coverage = { static: {}, perTest: {} };
  addChildCoverage(coverage, folder);
  expect(coverage.perTest).toEqual({});
});
