import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { figures } from "../src/page.ts";
import { readResult } from "../src/result.ts";
import { SUITES, unitsOf } from "../src/suites.ts";
import { resultFile, ROOT, units } from "../src/units.ts";

const folders = SUITES.flatMap((suite) => unitsOf(suite, units()).map(({ name }) => resultFile(suite.name, name)));

/** Without what the formatter puts in, so that columns are equally wide. */
const narrow = (text: string): string => text.replaceAll(/ *\| */g, "|").replaceAll(/[-:]{3,}/g, "---");

test("the page has the figures that follow from the results", () => {
  const page = readFileSync(join(ROOT, "mutation", "README.md"), "utf8");
  expect(narrow(page)).toContain(narrow(figures()));
});

test("every result is one of a folder of sources that is there", () => {
  const results = join(ROOT, "mutation", "results");
  const found = (existsSync(results) ? readdirSync(results, { recursive: true, encoding: "utf8" }) : []).filter(
    (name) => name.endsWith(".json"),
  );
  expect(found.filter((name) => !folders.includes(join(results, name)))).toEqual([]);
});

test("every result tells of each mutant that nothing noticed where it was", () => {
  for (const suite of SUITES)
    for (const { name } of unitsOf(suite, units()))
      for (const [file, { survivors }] of Object.entries(readResult(suite.name, name) ?? {}))
        for (const survivor of survivors)
          expect(survivor, file).toMatchObject({
            line: expect.any(Number),
            was: expect.any(String),
            became: expect.any(String),
            status: expect.stringMatching(/^(?:survived|uncovered)$/),
          });
});
