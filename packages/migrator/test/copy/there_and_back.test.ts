import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PatternLibrary } from "@perdura/internals/patterns/library.js";
import { saveLibraryToSqlite } from "@perdura/internals/patterns/sqlite_save.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { MetricsCollector } from "@perdura/v16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { anyRows, contentOf, makeDatabase, newSchema, otherProgram, patternRow } from "./both_sides.ts";

describeWithPostgres("copying there and back", (postgres) => {
  test("restores every column and type of SQLite, and copies nothing the second time", async () => {
    const folder = freshFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(anyRows, fc.boolean(), async (rows, intoDirectory) => {
        run += 1;
        const schema = newSchema();
        const source = makeDatabase(join(folder, `${run}.db`), rows);
        const there = await copyData(source, postgres.url, { schema });
        expect(there).toMatchObject({ exit_code: 0, verified: true, faults: [] });
        expect(there.tables.map(({ copied }) => copied)).toEqual([
          rows.patterns.length,
          rows.usage.length,
          rows.interactions.length,
          rows.metadata.length,
        ]);
        const repeated = await copyData(source, postgres.url, { schema });
        expect(repeated).toMatchObject({ exit_code: 0, verified: true });
        expect(repeated.tables.map(({ copied, present }) => [copied, present])).toEqual(
          there.tables.map(({ copied }) => [0, copied]),
        );
        const target = intoDirectory ? join(folder, `${run}.back`) : join(folder, `${run}.back.db`);
        const back = await copyData(postgres.url, target, { schema });
        expect(back).toMatchObject({ exit_code: 0, verified: true });
        const { interactions, interaction_metadata: metadata, ...patterns } = contentOf(source);
        expect(contentOf(target)).toEqual({
          ...patterns,
          ...(rows.interactions.length === 0 ? {} : { interactions, interaction_metadata: metadata }),
        });
        expect((await copyData(postgres.url, target, { schema })).tables.map(({ copied }) => copied)).toEqual(
          back.tables.map(() => 0),
        );
      }),
      { numRuns: 15 },
    );
  });

  test.each<[what: string, make: (path: string) => void]>([
    ["an empty file", (path) => writeFileSync(path, "")],
    ["a library without a write-ahead log", (path) => saveLibraryToSqlite(new PatternLibrary(), path)],
  ])("fills %s, which its own comparison does not lock", async (_what, make) => {
    const folder = freshFolder();
    const schema = newSchema();
    const source = join(folder, "m.db");
    using collector = new MetricsCollector(source);
    collector.recordMetric("ann", true, 1);
    await copyData(source, postgres.url, { schema });
    const target = join(folder, "target.db");
    make(target);
    const report = await copyData(postgres.url, target, { schema, busyTimeoutMs: 100 });
    expect(report).toMatchObject({ exit_code: 0, verified: true });
  });

  test("gives new rows ids above the copied ones, which are not differences", async () => {
    const schema = newSchema();
    const source = makeDatabase(join(freshFolder(), "m.db"), {
      patterns: [patternRow("p", 7n)],
      usage: [[9n, "p", "a", 1n, "then"]],
      interactions: [[41n, "u", 3n, 1n, 1.5, "then"]],
    });
    await copyData(source, postgres.url, { schema });
    const other = await otherProgram(postgres.url, schema);
    // Folding does not wait for the first query; its progress depends on other work in the cluster.
    expect((await other.query("SELECT watermark > 0 AS begun FROM perdura_rollup")).rows).toEqual([{ begun: true }]);
    const ask = async (sql: string): Promise<unknown> => (await other.query(sql)).rows;
    expect(await ask("INSERT INTO interactions (user_id, level, success) VALUES ('u', 1, true) RETURNING id")).toEqual([
      { id: "42" },
    ]);
    expect(
      await ask("INSERT INTO pattern_usage (pattern_id, agent_id, success) VALUES ('p', 'u', true) RETURNING id"),
    ).toEqual([{ id: "10" }]);
    expect(
      await ask(
        "INSERT INTO patterns (id, agent_id, pattern_type, name) VALUES ('o', 'a', 't', 'n') RETURNING position",
      ),
    ).toEqual([{ position: "8" }]);
    const repeated = await copyData(source, postgres.url, { schema });
    expect(repeated).toMatchObject({ exit_code: 0, verified: true });
    expect(repeated.tables.map(({ table, recorded_since: since }) => [table, since])).toEqual([
      ["patterns", 1],
      ["pattern_usage", 1],
      ["interactions", 1],
      ["interaction_metadata", 0],
    ]);
  });
});
