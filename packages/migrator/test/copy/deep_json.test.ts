import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, newSchema, otherProgram, type Rows } from "./both_sides.ts";

const arrays = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

function withJson({ context = "{}", tags = "[]", metadata = "{}" }): Partial<Rows> {
  return {
    patterns: [["p", "a", "t", "n", null, context, null, 0.5, 0n, 0n, 0n, tags, null, null, null, 1n]],
    interactions: [[7n, "u", 3n, 1n, null, null]],
    metadata: [[7n, metadata]],
  };
}

describeWithPostgres("JSON that is nested deeply", (postgres) => {
  test.each([
    ["metadata in objects", { metadata: objects(40_000) }, "interaction_metadata", "7", "metadata", 40_000],
    ["metadata in arrays", { metadata: arrays(200_000) }, "interaction_metadata", "7", "metadata", 200_000],
    ["a context", { context: objects(40_000) }, "patterns", "p", "context", 40_000],
    ["tags, text in them", { tags: `["[\\"${"[".repeat(9)}", ${arrays(39_999)}]` }, "patterns", "p", "tags", 40_000],
  ])("%s: listed before anything is written", async (_name, given, table, key, column, depth) => {
    const schema = newSchema();
    const source = makeDatabase(join(freshFolder(), "m.db"), withJson(given));
    const report = await copyData(source, postgres.url, { schema });
    const reason = `JSON nested ${depth} deep, which takes more than the server's max_stack_depth`;
    expect(report).toMatchObject({ exit_code: 3, verified: false, faults: [{ table, key, column, reason }] });
    expect(report.summary).toBe("Values that the target cannot hold. Nothing was changed.");
    expect(await copyData(source, postgres.url, { schema, dryRun: true })).toMatchObject({ exit_code: 3 });
    const other = await otherProgram(postgres.url, schema);
    expect((await other.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])).rows).toEqual([]);
  });

  test("what the server takes goes there and back, brackets within text as well", async () => {
    const schema = newSchema();
    const folder = freshFolder();
    const source = makeDatabase(
      join(folder, "m.db"),
      withJson({ context: objects(4000), tags: JSON.stringify(["[".repeat(90_000)]), metadata: arrays(4000) }),
    );
    expect(await copyData(source, postgres.url, { schema })).toMatchObject({ exit_code: 0, verified: true });
    const back = join(folder, "back.db");
    expect(await copyData(postgres.url, back, { schema })).toMatchObject({ exit_code: 0, verified: true });
    expect(contentOf(back)).toEqual(contentOf(source));
  });

  test("it is the server that is asked: with a small stack it takes less, and next to that no copy breaks off", async () => {
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    onTestFinished(() => admin.end());
    const name = new URL(postgres.url).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} SET max_stack_depth = '100kB'`);
    const taken: number[] = [];
    try {
      for (let depth = 500; depth <= 1000; depth += 20) {
        const source = makeDatabase(join(freshFolder(), "m.db"), withJson({ metadata: objects(depth) }));
        const { exit_code: code, faults } = await copyData(source, postgres.url, { schema: newSchema() });
        if (code === 0) taken.push(depth);
        else expect(faults).toHaveLength(1);
      }
    } finally {
      await admin.query(`ALTER DATABASE ${name} RESET max_stack_depth`);
    }
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.length).toBeLessThan(26);
  });
});
