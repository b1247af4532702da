import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

test("the page of rulings matches the statements of the conformance suite", () => {
  const { requirements } = JSON.parse(read("packages/conformance/requirements/U-rulings.json")) as {
    requirements: { id: string; section: string; statement: string }[];
  };
  const rows = read("docs/rulings.md")
    .split("\n")
    .filter((row) => row.startsWith("| U-"))
    .map((row) => row.split("|").map((cell) => cell.trim()));
  expect(rows.map(([, id, section, , statement]) => ({ id, section, statement }))).toEqual(
    requirements.map(({ id, section, statement }) => ({ id, section, statement })),
  );
});
