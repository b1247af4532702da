import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { metricsIn, newSchema, otherProgram } from "./elements.ts";
import { LAYOUTS, ON_CITUS } from "./layouts.ts";

/** Two ids of another program that a double rounds to one number. */
const [ONE, OTHER] = ["1234567890123456768", "1234567890123456769"];

describeWithPostgres("ids above 2^53-1", (postgres) => {
  test.for(LAYOUTS)("are read and exported exactly (%s)", async ([, layout]) => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema, ...layout });
    await metrics.recordMetric("ann", true, 10, { of: "the first" });
    await otherProgram(postgres.url, schema).query(
      `INSERT INTO interactions (id, user_id, level, success, response_time_ms) VALUES (${ONE}, 'bob', 3, true, 10), (${OTHER}, 'ann', 3, true, 30)`,
    );
    expect(await metrics.getUserStats("ann")).toMatchObject({ total_operations: 2, avg_response_time_ms: 20 });
    for (const extension of ["json", "jsonl", "csv"]) {
      const file = join(freshFolder(), `out.${extension}`);
      expect(await metrics.exportMetrics(file)).toBe(3);
      const pattern = extension === "csv" ? /^(\d+),/gm : /"id":(\d+)/g;
      expect([...readFileSync(file, "utf8").matchAll(pattern)].map(([, id]) => id)).toEqual(["1", ONE, OTHER]);
    }
  });

  test.skipIf(ON_CITUS).for(LAYOUTS)("are not given to new rows (%s)", async ([, layout]) => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema, ...layout });
    expect(await metrics.recordInteraction("a", 1, true, 1)).toBe(1);
    await otherProgram(postgres.url, schema).query(`SELECT setval('interactions_id_seq', ${2n ** 53n - 2n})`);
    expect(await metrics.recordInteraction("a", 1, true, 1)).toBe(Number.MAX_SAFE_INTEGER);
    const ways: (() => Promise<unknown>)[] = [
      () => metrics.recordInteraction("a", 1, true, 1),
      () => metrics.recordMetric("a", true, 1, { tool: "x" }),
      () => metrics.recordInteraction("a", 1, true, 1, { idempotencyKey: "k" }),
      () => metrics.recordMany([{ user_id: "a", success: true, response_time_ms: 1 }]),
      () => metrics.writer().recordMetric("a", true, 1),
    ];
    for (const way of ways)
      await expect(way()).rejects.toMatchObject({
        code: "PERDURA_STORAGE",
        message: expect.stringContaining("the next id would be above 9007199254740991") as string,
      });
    expect((await metrics.getGlobalStats()).total_interactions).toBe(2);
  });
});
