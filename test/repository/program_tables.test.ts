import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pagesOfPrograms } from "../../dev/tools/program_tables.ts";

test("the tables of arguments in the READMEs match the definitions in the programs", () => {
  for (const [page, text] of pagesOfPrograms()) expect(readFileSync(page, "utf8")).toBe(text);
});
