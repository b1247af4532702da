import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pagesOfPrograms } from "../../dev/tools/program_tables.ts";

test("the tables in the READMEs of the programs are what the programs read their arguments by", () => {
  for (const [page, text] of pagesOfPrograms()) expect(readFileSync(page, "utf8")).toBe(text);
});
