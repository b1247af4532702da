import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, newSchema } from "./both_sides.ts";

/** Characters of a value that are sent as one piece. */
const PIECE = 1 << 20;

describeWithPostgres("large values", (postgres) => {
  test.each([
    ["a character of two code units where two pieces meet", `${"x".repeat(PIECE - 1)}\u{1f600}${"y".repeat(PIECE)}`],
    ["nothing but characters that are escaped", "\\\n\r\t".repeat(PIECE / 2)],
    ["exactly one piece", "z".repeat(PIECE)],
    ["exactly two pieces", "\n".repeat(2 * PIECE)],
  ])("%s: there and back", async (_name, value) => {
    const schema = newSchema();
    const folder = freshFolder();
    const json = JSON.stringify({ value });
    const source = makeDatabase(join(folder, "m.db"), {
      patterns: [["p", "a", "t", value, value, json, value, 0.5, 0n, 0n, 0n, null, "then", null, null, 1n]],
      usage: [[1n, "p", "a", 1n, "then"]],
      interactions: [[1n, value.slice(0, 1000), 3n, 1n, 1.5, "then"]],
      metadata: [[1n, json]],
    });
    expect(await copyData(source, postgres.url, { schema })).toMatchObject({ exit_code: 0, verified: true });
    const back = join(folder, "back.db");
    expect(await copyData(postgres.url, back, { schema })).toMatchObject({ exit_code: 0, verified: true });
    expect(contentOf(back)).toEqual(contentOf(source));
  });
});
