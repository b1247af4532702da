import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, newSchema } from "./both_sides.ts";

/** Characters of a value that are sent as one piece. */
const PIECE = 1 << 20;

describeWithPostgres("large values", (postgres) => {
  test("are copied and restored in every column, with any characters between two pieces", async () => {
    const escaped = "\\\n\r\t".repeat(PIECE / 2);
    const twoUnits = `${"x".repeat(PIECE - 1)}\u{1f600}${"y".repeat(PIECE)}`;
    const onePiece = "z".repeat(PIECE);
    const twoPieces = "\n".repeat(2 * PIECE);
    const json = (value: string): string => JSON.stringify({ value });
    const patterns = [
      ["p", "a", "t", escaped, twoUnits, json(twoUnits), onePiece, 0.5, 0n, 0n, 0n, null, "then", null, null, 1n],
      ["q", "a", "t", "n", null, json(escaped), twoPieces, 0.5, 0n, 0n, 0n, null, "then", null, null, 2n],
    ];
    const metadata = [
      [1n, json(twoUnits)],
      [2n, json(twoPieces)],
    ];
    const schema = newSchema();
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), {
      patterns,
      usage: [[1n, "p", "a", 1n, "then"]],
      interactions: metadata.map(([id]) => [id, escaped.slice(0, 1000), 3n, 1n, 1.5, "then"]),
      metadata,
    });
    expect(await copyData(source, postgres.url, { schema })).toMatchObject({ exit_code: 0, verified: true });
    const back = join(folder, "back.db");
    expect(await copyData(postgres.url, back, { schema })).toMatchObject({ exit_code: 0, verified: true });
    expect(contentOf(back)).toEqual(contentOf(source));
  });
});
