import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import type { Client } from "pg";
import { expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { copyData } from "../../src/index.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { query } from "../../../../test/legacy/legacy_database.ts";
import { endOf, startProgram } from "../support/program.ts";
import { makeDatabase, newSchema, otherProgram } from "./both_sides.ts";

/** Rows in transit when a copy is killed: more than its two connections hold before each commits. */
const SENT = 205_000;
const MANY = SENT + 15_000;
const rows = (count: number): unknown[][] =>
  Array.from({ length: count }, (_, index) => [
    BigInt(index + 1),
    `u${index % 50}`,
    BigInt(1 + (index % 5)),
    1n,
    index / 7,
    "then",
  ]);

/** Number of indexes of interactions, besides that of the key. */
const INDEXES = 4;

async function indexesOf(other: Client): Promise<number> {
  const { rowCount } = await other.query(
    "SELECT FROM pg_index WHERE indrelid = 'interactions'::regclass AND NOT indisprimary",
  );
  return rowCount ?? 0;
}

describeWithPostgres("copies that are cut off", (postgres) => {
  test("the next copy finishes a killed one, in both directions", async () => {
    const schema = newSchema();
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), { interactions: rows(MANY), metadata: [[5n, "{}"]] });
    expect(await endOf(startProgram("dying_copy.ts", source, postgres.url, schema, `${SENT / 1000}`))).toBe("SIGKILL");
    const other = await otherProgram(postgres.url, schema);
    // An empty table is filled without its indexes.
    expect(await indexesOf(other)).toBe(0);
    const report = await copyData(source, postgres.url, { schema });
    expect(report).toMatchObject({ exit_code: 0, verified: true });
    const interactions = report.tables.find(({ table }) => table === "interactions");
    expect(interactions?.present).toBeGreaterThanOrEqual(100_000);
    expect(interactions?.copied).toBe(MANY - (interactions?.present as number));
    expect(await indexesOf(other)).toBe(INDEXES);
    const back = join(folder, "back.db");
    expect(await endOf(startProgram("dying_copy.ts", postgres.url, back, schema, "60"))).toBe("SIGKILL");
    const finished = await copyData(postgres.url, back, { schema });
    expect(finished).toMatchObject({ exit_code: 0, verified: true });
    expect(finished.tables.find(({ table }) => table === "interactions")?.present).toBeGreaterThanOrEqual(50_000);
    expect(query(back, "SELECT count(*) FROM interactions")).toEqual([[BigInt(MANY)]]);
  });

  test("the next copy creates indexes that a killed one did not get to", async () => {
    const source = makeDatabase(join(freshFolder(), "m.db"), { interactions: rows(100) });
    const schema = newSchema();
    await copyData(source, postgres.url, { schema });
    const other = await otherProgram(postgres.url, schema);
    expect(await indexesOf(other)).toBe(INDEXES);
    await other.query("DROP INDEX idx_interactions_user, perdura_interactions_recorded");
    expect((await copyData(source, postgres.url, { schema })).summary).toContain("Nothing to do");
    expect(await indexesOf(other)).toBe(INDEXES);
  });

  test("reports an interruption, and throws errors of onProgress", async () => {
    const source = makeDatabase(join(freshFolder(), "m.db"), { interactions: rows(3000) });
    const schema = newSchema();
    const controller = new AbortController();
    const stopped = await copyData(source, postgres.url, {
      schema,
      signal: controller.signal,
      onProgress: ({ stage }) => stage === "copy" && controller.abort(),
    });
    expect(stopped).toMatchObject({
      exit_code: 130,
      verified: false,
      summary: "Interrupted. Copied rows are kept. Run the copy again to finish.",
    });
    const throwing = copyData(source, postgres.url, {
      schema,
      onProgress: () => {
        throw new Error("enough");
      },
    });
    await expect(throwing).rejects.toThrow("enough");
    const totals: unknown[] = [];
    const whole = await copyData(source, postgres.url, {
      schema,
      onProgress: ({ stage, detail, total }) =>
        void (stage === "compare" && detail === "comparing interactions" && totals.push(total)),
    });
    expect(whole).toMatchObject({ exit_code: 0, verified: true });
    expect(new Set(totals)).toEqual(new Set([3000]));
  });

  test("migrates a pre-16 source on a private copy, without a change", async () => {
    const folder = freshFolder();
    copyFileSync(fixture("legacy", "field-a-one.db"), join(folder, "metrics.db"));
    const before = stampOf(folder);
    const schema = newSchema();
    const report = await copyData(folder, postgres.url, { schema });
    expect(report).toMatchObject({ faults: [], exit_code: 0, verified: true, migrated: [join(folder, "metrics.db")] });
    expect(stampOf(folder)).toBe(before);
    const other = await otherProgram(postgres.url, schema);
    const { rows: counted } = await other.query<{ count: number }>("SELECT count(*)::int FROM interactions");
    expect(counted[0]?.count).toBe(report.tables.find(({ table }) => table === "interactions")?.rows);
    expect(counted[0]?.count).toBeGreaterThan(0);
    copyFileSync(fixture("legacy", "field-a-invalid.db"), join(folder, "metrics.db"));
    // Rows that need a decision stop it like `up`; with a decision it continues to the values that PostgreSQL cannot
    // hold.
    const schemaOfInvalid = newSchema();
    const undecided = await copyData(folder, postgres.url, { schema: schemaOfInvalid });
    expect(undecided).toMatchObject({ exit_code: 3, tables: [] });
    const decided = await copyData(folder, postgres.url, { schema: schemaOfInvalid, invalidRows: "quarantine" });
    expect(decided.tables.map(({ table }) => table)).toContain("interactions");
  });
});
