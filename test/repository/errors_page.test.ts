import { readdirSync, readFileSync } from "node:fs";
import { environmentOf } from "@perdura/cli/help.js";
import { ERROR_CODES } from "@perdura/v16";
import { expect, test } from "vitest";
import { TABLE as BACKUP } from "../../packages/backup/src/cli/table.ts";
import { TABLE as MIGRATOR } from "../../packages/migrator/src/cli/table.ts";

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/errors.md", root), "utf8");
const [, , advice = "", warnings = ""] = page.split(/^## /m);

/** The rows of a table, without the padding of its columns. */
function rowsOf(text: string): string[] {
  return text
    .split("\n")
    .filter((row) => row.startsWith("| PERDURA_"))
    .map((row) => row.replaceAll(/ +\|/g, " |"));
}

const codesOf = (text: string): string[] => rowsOf(text).map((row) => row.split(" ")[1] as string);

test("the page gives advice for each code", () => {
  expect(codesOf(advice)).toEqual(Object.keys(ERROR_CODES));
});

test("the page lists exactly the codes that packages use", () => {
  const named = readdirSync(new URL("packages/", root)).flatMap((name) =>
    readdirSync(new URL(`packages/${name}/src/`, root), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => codesIn(readFileSync(new URL(`packages/${name}/src/${file}`, root), "utf8"))),
  );
  // Names with the form of codes that are environment variables.
  const variables = new Set(Object.keys({ ...environmentOf(BACKUP), ...environmentOf(MIGRATOR) }));
  const inPackages = named.filter((code) => !variables.has(code));
  expect(new Set(codesIn(page))).toEqual(new Set(inPackages));
  expect(codesOf(warnings)).toEqual([...new Set(inPackages)].filter((code) => !Object.hasOwn(ERROR_CODES, code)));
});

function codesIn(text: string): string[] {
  return text.match(/\bPERDURA_[A-Z_]+/g) ?? [];
}
