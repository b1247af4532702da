import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { landingPage } from "../src/landing_page.ts";
import { inRepository } from "../src/repository.ts";
import { loadRequirements } from "../../../packages/conformance/src/corpus/requirements.ts";
import { loadCases, shippedCorpus } from "../../../packages/conformance/src/corpus/load_cases.ts";
import { examplesOfPage } from "../../../test/repository/run_example.ts";

const page = landingPage();
const read = (path: string): string => readFileSync(inRepository(path), "utf8");

test("the front page shows a program that the tests of examples run, and its output", () => {
  const [, code = ""] = /^```ts\n([^]*?)^```$/m.exec(page) ?? [];
  expect(examplesOfPage("README.md").map((example) => example.code.trim())).toContain(code.trim());
  expect(page).toContain("$ node tools.mjs\nsearch 1\nfetch 0\n");
});

test("the measurements on the front page are those of the suite, the trials and the benchmark", () => {
  const [, cases] = /more than ([\d,]+) cases;/.exec(page) ?? [];
  expect(loadCases(shippedCorpus(), loadRequirements()).length).toBeGreaterThan(Number(cases));
  const figures =
    /(?<=^\| what was measured[^]*?\n\|[ -|]+\n)(?:\|.*\n)+/m.exec(read("README.md"))?.[0].match(/[^|\n]{9,}/g) ?? [];
  expect(figures.length).toBeGreaterThan(9);
  for (const figure of figures) expect(page).toContain(figure.trim());
});
