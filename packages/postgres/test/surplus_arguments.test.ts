import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { openPersistenceAsync } from "@perdura/v16";
import { expect, test } from "vitest";
import {
  DELETIONS,
  expectRefused,
  listAndExport,
  QUESTIONS,
  RECORDS_16,
  STORE,
} from "../../../test/surplus_arguments.ts";
import { metricsIn, newSchema, patternsIn } from "./elements.ts";

describeWithPostgres("arguments that a method on PostgreSQL does not have", (postgres) => {
  test("are refused, as a key for repeats is by the asynchronous form", async () => {
    const schema = newSchema();
    const metrics = metricsIn(postgres.url, { schema });
    await expectRefused(metrics, {
      recordInteraction: ["u", 1, true, 1, undefined],
      recordMetric: ["u", true, 1, null, undefined],
      recordMany: [[], undefined],
      ...QUESTIONS,
      ...listAndExport(),
      ...DELETIONS,
      writer: [undefined],
      recount: [],
    });
    await expectRefused(metrics.writer(), { ...RECORDS_16, ...DELETIONS });
    const patterns = patternsIn(postgres.url, { schema });
    await expectRefused(patterns, STORE);
    await using persistence = await openPersistenceAsync({ persistence_path: postgres.url }, { postgres: { schema } });
    const record = persistence.metrics.recordInteraction as (...given: unknown[]) => Promise<unknown>;
    await expect(record("u", 1, true, 1, { idempotencyKey: "k" })).rejects.toMatchObject({ argument: "arguments" });
  });
});
