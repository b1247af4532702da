import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { makeDatabase, newSchema, patternRow, type Rows } from "./both_sides.ts";

const USE = (id: bigint, pattern: string): unknown[] => [id, pattern, "a", 1n, "then"];
const INTERACTION = (id: bigint): unknown[] => [id, "u", 3n, 1n, null, null];

/** One row of each table, and the same with a newer one. */
const OLDER: Partial<Rows> = {
  patterns: [patternRow("p", 1n)],
  usage: [USE(1n, "p")],
  interactions: [INTERACTION(1n)],
  metadata: [[1n, "{}"]],
};
const NEWER: Partial<Rows> = {
  patterns: [patternRow("p", 1n), patternRow("q", 2n)],
  usage: [USE(1n, "p"), USE(2n, "q")],
  interactions: [INTERACTION(1n), INTERACTION(2n)],
  metadata: [
    [1n, "{}"],
    [2n, "{}"],
  ],
};

describeWithPostgres("rows of the target that are newer than the source", (postgres) => {
  test.each(["into PostgreSQL", "from PostgreSQL"])("are kept and counted in every table: %s", async (way) => {
    const folder = freshFolder();
    const [older, newer] = [makeDatabase(join(folder, "o.db"), OLDER), makeDatabase(join(folder, "n.db"), NEWER)];
    const schema = newSchema();
    const [filled, repeated, target] =
      way === "into PostgreSQL" ? [newer, older, postgres.url] : [older, postgres.url, newer];
    expect(await copyData(filled, postgres.url, { schema })).toMatchObject({ exit_code: 0 });
    const report = await copyData(repeated, target, { schema });
    expect(report).toMatchObject({ exit_code: 0, verified: true });
    expect(
      report.tables.map(({ table, recorded_since, removed, copied }) => [table, recorded_since, removed, copied]),
    ).toEqual(["patterns", "pattern_usage", "interactions", "interaction_metadata"].map((table) => [table, 1, 0, 0]));
  });
});
