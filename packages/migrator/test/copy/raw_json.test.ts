import { join } from "node:path";
import { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { completePattern } from "@perdura/internals/patterns/pattern.js";
import { PostgresPatternPersistence } from "@perdura/postgres";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, newSchema, otherProgram, patternRow, type Rows } from "./both_sides.ts";

const arrays = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

function withJson({ context = "{}", tags = "[]", metadata = "{}" }): Partial<Rows> {
  return {
    patterns: [patternRow("p", 1n, { context, tags })],
    interactions: [[7n, "u", 3n, 1n, null, null]],
    metadata: [[7n, metadata]],
  };
}

describeWithPostgres("text where JSON is expected", (postgres) => {
  const thereAndBack = async (given: Parameters<typeof withJson>[0], schema = newSchema()): Promise<string> => {
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), withJson(given));
    expect(await copyData(source, postgres.url, { schema })).toMatchObject({ exit_code: 0, verified: true });
    expect(await copyData(source, postgres.url, { schema })).toMatchObject({
      summary: expect.stringContaining("Nothing to do") as string,
    });
    const back = join(folder, "back.db");
    expect(await copyData(postgres.url, back, { schema })).toMatchObject({ exit_code: 0, verified: true });
    expect(contentOf(back)).toEqual(contentOf(source));
    return schema;
  };

  test.each([
    ["NaN and Infinity, as Python writes them", { metadata: '{"a": NaN}', context: '{"b": -Infinity}', tags: "[NaN]" }],
    ["text that is not JSON", { metadata: "a 'word", context: "{", tags: "" }],
    ["metadata in 40,000 objects", { metadata: objects(40_000) }],
    ["metadata in 200,000 arrays", { metadata: arrays(200_000) }],
    ["a context in 40,000 objects", { context: objects(40_000) }],
    ["tags, brackets and quotes within text", { tags: `["[\\"${"[".repeat(9)}", ${arrays(39_999)}]` }],
    ["4,000 levels, brackets within text", { context: objects(4000), tags: JSON.stringify(["[".repeat(90_000)]) }],
  ])("%s: goes there and back", async (_name, given) => {
    await thereAndBack(given);
  });

  test("with the smallest stack that a server can be given no copy breaks off", async () => {
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    onTestFinished(() => admin.end());
    const name = new URL(postgres.url).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} SET max_stack_depth = '100kB'`);
    try {
      for (const depth of [400, 499, 500, 501, 600, 800, 1000]) await thereAndBack({ metadata: objects(depth) });
    } finally {
      await admin.query(`ALTER DATABASE ${name} RESET max_stack_depth`);
    }
  });

  test("is in the column next to the JSON column, is read like other values, and is overwritten by a save", async () => {
    const schema = await thereAndBack({ metadata: "NaN", context: "NaN", tags: "null" });
    const other = await otherProgram(postgres.url, schema);
    const ask = async (sql: string): Promise<unknown[]> => (await other.query(sql)).rows;
    expect(await ask("SELECT metadata::text, metadata_raw FROM interaction_metadata")).toEqual([
      { metadata: "null", metadata_raw: "NaN" },
    ]);
    expect(await ask("SELECT context::text, context_raw, tags::text, tags_raw FROM patterns")).toEqual([
      { context: "null", context_raw: "NaN", tags: "null", tags_raw: null },
    ]);
    const patterns = new PostgresPatternPersistence(postgres.url, { schema });
    onTestFinished(() => patterns.close());
    await expect(patterns.load()).rejects.toMatchObject({ code: "PERDURA_CORRUPT_DATA" });
    const library = new PatternLibrary();
    library.patterns.set("p", completePattern({ id: "p", agent_id: "a", pattern_type: "t", name: "n" }));
    await patterns.save(library);
    expect(await ask("SELECT context::text, context_raw, tags_raw FROM patterns")).toMatchObject([
      { context_raw: null, tags_raw: null },
    ]);
    expect((await patterns.load()).patterns.size).toBe(1);
  });
});
