import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { readCsv, inspectCsv, inspectJsonLines } from "../src/inspect/tables_of_text.ts";
import type { JsonValue } from "../src/values/json_value.ts";

let directory: string;
beforeEach(() => {
  directory = freshFolder();
});

const scope = () => ({ data: {}, variables: new Map(), directory, began: Date.now() });
const look = (inspect: typeof inspectCsv, bytes: string | Buffer, is: JsonValue) => {
  writeFileSync(join(directory, "x"), bytes);
  return inspect("x", [{ id: "all", at: "", is }], scope());
};

it.each([
  [
    "a,b\r\n1,2\r\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "a,b\r\n1,2",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  ['"a ""b"", c","\r\n,\n"\r\n', [['a "b", c', "\r\n,\n"]]],
  ["a,,\r\n", [["a", "", ""]]],
  ["a,", [["a", ""]]],
  ['""\r\n\r\n', [[""], [""]]],
  [`"${"x".repeat(3_000_000)}"`, [["x".repeat(3_000_000)]]],
  ["", []],
])("reads CSV: %.30j", (text, records) => expect(readCsv(text)).toEqual({ records, problems: [] }));

it.each([
  ["a\nb\r\n", "record 1: a line end other than CRLF in field 1"],
  ["a\r\nb\rc", "record 2: a line end other than CRLF in field 1"],
  ['a"b\r\n', "record 1: an unexpected quote in field 1"],
  ['x,"a"b\r\n', "record 1: text after a quoted field in field 2"],
  ['"a', "record 1: a quoted field is not closed"],
])("sees what is wrong in %j", (text, problem) => expect(readCsv(text).problems).toEqual([problem]));

it("shows CSV by the names of its header", () => {
  const table = {
    header: ["id", "__proto__"],
    rows: [
      Object.fromEntries([
        ["id", "1"],
        ["__proto__", "x"],
      ]),
    ],
  };
  expect(look(inspectCsv, "id,__proto__\r\n1,x\r\n", table)).toEqual([]);
  expect(look(inspectCsv, "id,__proto__\r\n1,y\r\n", table)).toMatchObject([{ check: "all", at: "/rows/0/__proto__" }]);
});

it.each([
  ["a,b\r\n1\r\n", "record 2 has 1 fields, the header 2"],
  ["a,a\r\n", "a name occurs twice in the header a,a"],
  ["", "no header"],
  ["\uFEFFa\r\n", "the file begins with a byte order mark"],
  [Buffer.from([0x61, 0xff]), "the file is not UTF-8"],
])("refuses a table such as %j", (bytes, problem) =>
  expect(look(inspectCsv, bytes, null)).toMatchObject([{ got: problem }]),
);

it("shows JSON Lines as an array, with exact numbers", () => {
  expect(look(inspectJsonLines, '{"a":9007199254740993}\n[1]\r\n', [{ a: { $int: "9007199254740993" } }, [1]])).toEqual(
    [],
  );
  expect(look(inspectJsonLines, "1\n2", [1, 2])).toEqual([]);
  expect(look(inspectJsonLines, "", [])).toEqual([]);
  expect(look(inspectJsonLines, '1\n\n{"a":1,"a":2}\n', [1])).toMatchObject([{ at: "/1" }, { at: "/2" }]);
  expect(look(inspectJsonLines, "[1,\n2]\n", [[1, 2]])).toMatchObject([{ at: "/0" }, { at: "/1" }]);
});

it("reports a missing file", () => {
  expect(inspectCsv("none.csv", [], scope())).toMatchObject([{ wanted: "the file none.csv" }]);
  expect(inspectJsonLines("none.jsonl", [], scope())).toMatchObject([{ wanted: "the file none.jsonl" }]);
});
