import { readFileSync } from "node:fs";
import { ERROR_CODES } from "@perdura/v16";
import { expect, test } from "vitest";

test("the page of error codes has exactly the codes of the code, in its words", () => {
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const rows = page
    .split("\n")
    .filter((row) => row.startsWith("| PERDURA_"))
    .map((row) => row.replaceAll(/ +\|/g, " |"));
  expect(rows).toEqual(
    Object.entries(ERROR_CODES).map(([code, { name, meaning }]) => `| ${code} | ${name} | ${meaning} |`),
  );
  const named = new Set(page.match(/PERDURA_[A-Z_]+/g));
  expect(named).toEqual(new Set(Object.keys(ERROR_CODES)));
});
