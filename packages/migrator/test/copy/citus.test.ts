import { join } from "node:path";
import { newClusterDatabase } from "@perdura/test-servers/postgres/database.js";
import { MetricsCollector, PatternLibrary, PatternPersistence } from "@perdura/v16";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { copyData } from "../../src/commands/copy.ts";
import { needs } from "../../../../test/needs.ts";

/** Address of a coordinator of Citus; the tests create and drop a database of their own there and on its workers. */
const COORDINATOR = process.env["TEST_CITUS_URL"] ?? "";

describe("copies and Citus", needs("citus", COORDINATOR === ""), () => {
  test("a copy creates distributed tables, is completed by the next one, and comes back equal", async () => {
    const database = await newClusterDatabase(COORDINATOR);
    onTestFinished(() => database.drop());
    const coordinator = new pg.Client(database.url);
    await coordinator.connect();
    onTestFinished(() => coordinator.end());
    const schema = "copied";
    const [there, back] = [freshFolder(), freshFolder()];
    const metrics = new MetricsCollector(join(there, "metrics.db"), { breakdown: { keys: ["big"] } });
    const record = (many: number): unknown =>
      metrics.recordMany(
        Array.from({ length: many }, (_, index) => ({
          user_id: `user ${index % 40}`,
          success: index % 3 > 0,
          response_time_ms: index / 8,
          ...(index % 9 === 0 ? { metadata: { text: "\0\ud800", big: index } } : {}),
        })),
      );
    record(3000);
    const library = new PatternLibrary();
    library.contribute("agent-1", { id: "p1", pattern_type: "t", name: "one", context: { n: 1 } });
    library.recordUsage("p1", "agent-2", true);
    PatternPersistence.saveToSqlite(library, join(there, "patterns.db"));
    const options = { schema, distributed: "citus" } as const;
    expect(await copyData(there, database.url, options)).toMatchObject({
      exit_code: 0,
      declared_keys: { keys: ["big"], outcome: "declared" },
    });
    record(500);
    metrics.close();
    const { tables } = await copyData(there, database.url, options);
    expect(tables.find(({ table }) => table === "interactions")).toMatchObject({ present: 3000, copied: 500 });
    const { rows } = await coordinator.query(
      `SELECT count(*)::int AS distributed FROM pg_dist_partition WHERE logicalrelid = '"${schema}".interactions'::regclass`,
    );
    expect(rows).toEqual([{ distributed: 1 }]);
    expect(await copyData(database.url, back, { schema })).toMatchObject({ exit_code: 0 });
    const [one, other] = [there, back].map((folder) => new MetricsCollector(join(folder, "metrics.db")));
    expect(other?.getGlobalStats()).toEqual(one?.getGlobalStats());
    expect(other?.getUserStats("user 9")).toEqual(one?.getUserStats("user 9"));
    one?.close();
    other?.close();
  });
});
