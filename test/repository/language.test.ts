import { expect, test } from "vitest";
import { findings } from "../../dev/tools/language/findings.ts";

const found = (file: string, text: string): string[] =>
  findings(file, () => text).map(({ line, kind, found: phrase }) => `${line} ${kind}: ${phrase}`);

test("phrases are found in comments, messages and help, with their line", () => {
  const source = [
    "/** What somebody stored. */",
    "export const one = 1;",
    "// It is mended by",
    "// nobody.",
    "export const message = (path: string) => `${path} is as it was. Choose anew.`;",
    'export const word = "nobody";',
    'export const title = "whoever reads this";',
  ].join("\n");
  expect(found("a.ts", source)).toEqual([
    "1 doc comment: somebody",
    "1 doc comment: What …",
    "3 comment: mended",
    "4 comment: nobody",
    "5 message: anew",
    "5 message: as it was",
    "7 message: whoever",
  ]);
});

test("code, quotations and generated files are not looked at", () => {
  expect(found("a.ts", "/** Runs `nobody`; “whoever” is a quotation. */\n// `anew`")).toEqual([]);
  expect(found("page.md", "```sh\nnobody\n```\n> somebody said\n\nCall `anew()`.\n")).toEqual([]);
  expect(found("packages/internals/src/generated/a.js", "// anew")).toEqual([]);
});

test("pages and descriptions of documents are looked at", () => {
  expect(found("page.md", "# Title\n\nThe file is mended by\nnobody.\n")).toEqual(["3 page: mended", "4 page: nobody"]);
  const schema = JSON.stringify(
    { title: "A file", properties: { id: { description: "None that somebody gave." } } },
    null,
    1,
  );
  expect(found("a.schema.json", schema)).toEqual(["5 description: somebody"]);
});

test("words that only contain such a phrase are left alone", () => {
  expect(found("a.ts", "// amended, commenders, in besides\nexport const a = 1;")).toEqual([]);
});

test("words of names are found in code, SQL, documents and names of files", () => {
  const source = [
    "export const unitedRows = (revertMigration: boolean, lineFromTable = 1) => lineFromTable;",
    "const sql = `SELECT * FROM perdura_united_rows`;",
    'const status: "set-aside" | "odd" = "odd";',
    "class A { #toldOnce = 1; }",
    'import { allowUnionTypes, platform, format, transform, standard } from "ajv";',
  ].join("\n");
  expect(found("a.ts", source)).toEqual([
    "1 name: unitedRows",
    "1 name: revertMigration",
    "2 name: perdura_united_rows",
    "3 name: set-aside",
    "4 name: toldOnce",
  ]);
  expect(found("packages/x/src/odd_rows.ts", "")).toEqual(["1 name: packages/x/src/odd_rows.ts"]);
  expect(found("a.schema.json", '{\n "properties": { "united_rows": {} } }')).toEqual(["2 name: united_rows"]);
});
