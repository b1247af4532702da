import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { LEFT_OPEN } from "../src/left_open.ts";
import { fileResult, scoreOf, suiteScoreOf } from "../src/results/file_result.ts";
import { wordsOfErrors } from "../src/results/words_of_errors.ts";
import { concerns } from "../src/sources.ts";
import { mutant } from "./less.ts";

const here = fileURLToPath(new URL("../../../", import.meta.url));

it("lets the suite judge what the specification determines, and counts no words of errors for it", () => {
  const internals = "packages/internals/src";
  expect(concerns("conformance", `${internals}/terminal/table.ts`)).toBe(false);
  expect(concerns("conformance", `${internals}/text/describe.ts`)).toBe(false);
  expect(concerns("conformance", `${internals}/text/identifiers.ts`)).toBe(true);
  expect(concerns("conformance", "packages/migrator/src/core/progress.ts")).toBe(false);
  expect(concerns("whole", "packages/migrator/src/core/progress.ts")).toBe(true);
  for (const file of LEFT_OPEN.flatMap(({ files }) => files)) expect(existsSync(join(here, file)), file).toBe(true);

  const text = "if (a < b) throw new RangeError(`${a} is less.`, { cause: b });\n";
  const result = fileResult(text, [
    mutant("Survived", 1, 5, 10, "a <= b"),
    mutant("Survived", 1, 33, 48, "``"),
    mutant("NoCoverage", 1, 50, 62, "{}"),
    mutant("Killed", 1, 12, 64, ";"),
  ]);
  expect(result.left.map(({ words }) => words)).toEqual([undefined, true, true]);
  expect(scoreOf(result)).toEqual({ found: 1, of: 4 });
  expect(suiteScoreOf(result, () => false)).toEqual({ found: 1, of: 2 });
  expect(suiteScoreOf(result, ({ was }) => was === "a < b")).toEqual({ found: 1, of: 1 });
});

it.each([
  ['withStorage(path, "opening", () => open("x"))', ['"opening"']],
  ['this.#store("recording", task)', ['"recording"']],
  ['assertUserId("userId", id)', ['"userId"']],
  ['const fault = { reason: "it is missing" };', ['"it is missing"']],
  ['database.exec("SELECT 1 FROM a"); new Set(["a"])', []],
  ['database.pragma("foreign_keys = ON"); database.exec(`alter table a add ${"one column"}`)', []],
  ['/^"no word here"$/.test(text)', []],
])("finds the words of errors in %s", (code, words) => {
  const isWords = wordsOfErrors(code);
  const texts = [...code.matchAll(/"[^"]*"/g)];
  expect(texts.filter(({ 0: text, index }) => isWords(index, index + text.length)).map(String)).toEqual(words);
});
