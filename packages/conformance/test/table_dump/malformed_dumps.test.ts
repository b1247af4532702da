import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import type { Adapter, Answer, DumpedDatabase } from "../../src/protocol/messages.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";

const CASE = "metrics/columns";
const INTRODUCTION = {
  protocol: 1,
  spec_version: "16.0.0",
  implementation: { name: "fake", version: "1.0.0", language: "TypeScript" },
  choices: {},
};

/** An adapter that does nothing, and answers with the given tables. */
function giving(answerTo: (directory: string) => object, capabilities: string[]): Adapter {
  let directory = "";
  return {
    handle(request): Answer {
      const { seq, type } = request;
      if (type === "begin") directory = request.directory;
      if (type === "hello") return { seq, type: "ok", ...INTRODUCTION, capabilities };
      if (type === "call") return { seq, type: "ok", value: null };
      return { seq, type: "ok", ...(type === "settle" ? answerTo(directory) : {}) } as Answer;
    },
  };
}

async function verdictOn(answerTo: (directory: string) => object, capabilities = ["metrics", "table_dump"]) {
  const adapter = inProcessAdapter("fake", () => giving(answerTo, capabilities));
  const { cases } = await runWithLongTimeout({ adapter, cases: [CASE] });
  return cases.find(({ id }) => id === CASE);
}

/** One dump with this text, correctly reported. */
const dumped =
  (text: string) =>
  (directory: string): { tables: DumpedDatabase[] } => {
    const file = join(directory, "dump.json");
    writeFileSync(file, text);
    return { tables: [{ db_path: join(directory, "metrics.db"), file }] };
  };

const COLUMN = { name: "a", type: "integer", nullable: true };
const TABLE = { name: "t", columns: [COLUMN], unique: [], foreign_keys: [], indexes: [], rows: [] };
const tables = (...given: object[]): string => JSON.stringify({ table_dump: 1, tables: given });

it("judges a valid dump, even a nearly empty one", async () => {
  expect(await verdictOn(dumped(tables(TABLE)))).toMatchObject({ verdict: "fail" });
});

it.each([
  ["is not JSON", "{", /is not strict JSON/],
  ["has a key twice", '{"table_dump":1,"tables":[],"tables":[]}', /is not strict JSON/],
  ["has another version", '{"table_dump":2,"tables":[]}', /is invalid: \/table_dump/],
  ["has no tables", '{"table_dump":1}', /is invalid/],
  ["has a key that is too many", tables({ ...TABLE, owner: "me" }), /"owner"/],
  ["has an unknown class of type", tables({ ...TABLE, columns: [{ ...COLUMN, type: "money" }] }), /is invalid: .*type/],
  ["has two tables of one name", tables(TABLE, { ...TABLE, name: "T" }), /the table T occurs twice/],
  ["has two columns of one name", tables({ ...TABLE, columns: [COLUMN, COLUMN] }), /the column a occurs twice/],
  ["has a row that is too short", tables({ ...TABLE, rows: [[]] }), /row 1: 0 values for 1 columns/],
  ["has text where integers are", tables({ ...TABLE, rows: [[1], ["x"]] }), /row 2: a is not a 64-bit integer/],
  ["has a fraction where integers are", tables({ ...TABLE, rows: [[1.5]] }), /a is not a 64-bit integer/],
  ["has more than 64 bits", tables({ ...TABLE, rows: [[{ $int: "9223372036854775808" }]] }), /a 64-bit integer/],
  ["has a null too many", tables({ ...TABLE, columns: [{ ...COLUMN, nullable: false }], rows: [[null]] }), /a is null/],
  [
    "has a default of another class",
    tables({ ...TABLE, columns: [{ ...COLUMN, default: { gives: "x" } }] }),
    /the default of a/,
  ],
  ["has a key of no column", tables({ ...TABLE, primary_key: ["b"] }), /the missing column b/],
  [
    "has a key that two rows share",
    tables({ ...TABLE, primary_key: ["a"], rows: [[1], [1]] }),
    /cannot be loaded into a database: UNIQUE/,
  ],
])("a dump that %s is the adapter's breach of the protocol", async (_, text, words) => {
  expect(await verdictOn(dumped(text))).toMatchObject({
    verdict: "protocol-error",
    reason: expect.stringMatching(words),
  });
});

it.each([
  ["no tables, though they are declared", () => ({}), /answer to settle has no tables/],
  [
    "a file that is not there",
    (at: string) => ({ tables: [{ db_path: "x", file: join(at, "x.json") }] }),
    /does not exist/,
  ],
  [
    "a file elsewhere",
    () => ({ tables: [{ db_path: "x", file: import.meta.filename }] }),
    /outside the case's directory/,
  ],
  [
    "two dumps of one database",
    (at: string) => ({ tables: [1, 2].flatMap(() => dumped(tables(TABLE))(at).tables) }),
    /two dumps/,
  ],
  ["something else", () => ({ tables: "all" }), /adapter's answer is invalid/],
])("%s is a breach of the protocol", async (_, answerTo, words) => {
  expect(await verdictOn(answerTo)).toMatchObject({
    verdict: "protocol-error",
    reason: expect.stringMatching(words),
  });
});

it("undeclared tables are a breach of the protocol", async () => {
  expect(await verdictOn(dumped(tables(TABLE)), ["metrics"])).toMatchObject({
    verdict: "protocol-error",
    reason: expect.stringContaining("does not declare table_dump"),
  });
});
