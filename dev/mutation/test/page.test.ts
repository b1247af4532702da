import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readExplanations } from "../src/explanations.ts";
import { readFigures } from "../src/figures.ts";
import { figuresTable, pageNow } from "../src/page.ts";
import { sourceFolders } from "../src/sources.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const figures = readFigures(root);

it("the README has the committed figures and their sums", () => {
  expect(pageNow(root), "pnpm mutation --page writes it again").toBe(
    readFileSync(join(root, "dev", "mutation", "README.md"), "utf8"),
  );
});

it("the figures are plausible and belong to existing folders", () => {
  const sources = sourceFolders(root);
  expect(Object.keys(figures).filter((folder) => !sources.has(folder))).toEqual([]);
  for (const [folder, { conformance, whole }] of Object.entries(figures)) {
    const { found = 0, determined = 0, asked = 0, reached = 0, all = 0 } = conformance ?? {};
    const counts = [found, determined, asked, reached, all];
    expect(counts, folder).toEqual(counts.toSorted((a, b) => a - b));
    if (whole) expect(whole.found + whole.open, folder).toBeLessThanOrEqual(whole.all);
  }
});

it("the table sums figures without samples, and shows no share for a sample", () => {
  const measured = { measured: "2020-01-01", commit: "abc" };
  const counts = { found: 1, determined: 2, asked: 3, reached: 4, all: 5 };
  const text = figuresTable({
    a: { conformance: { ...measured, ...counts }, whole: { ...measured, found: 2, all: 3, open: 1 } },
    b: { conformance: { ...measured, ...counts }, whole: { ...measured, found: 2, all: 3, open: 1 } },
    c: { whole: { ...measured, found: 5, all: 5, open: 0, one_of: 40 } },
  });
  const rows = text.split("\n").map((row) => row.split("|").map((cell) => cell.trim()));
  expect(rows.at(-1)?.slice(2, 8)).toEqual([
    "50.0 % (2 of 4)",
    "33.3 % (2 of 6)",
    "25.0 % (2 of 8)",
    "20.0 % (2 of 10)",
    "66.6 % (4 of 6)",
    "2",
  ]);
  expect(rows.at(-2)?.[6]).toBe("5 of 5 mutants, a sample of one in 40");
});

it("every explanation belongs to an existing file and has a class of the README", () => {
  const { classes, mutants } = readExplanations(root);
  const page = readFileSync(join(root, "dev", "mutation", "README.md"), "utf8");
  for (const [name, meaning] of Object.entries(classes)) expect(page).toContain(`**${name}**: ${meaning}`);
  expect(mutants.filter((each) => !Object.hasOwn(classes, each.class) || each.why === "")).toEqual([]);
  expect([...new Set(mutants.map(({ file }) => file))].filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
