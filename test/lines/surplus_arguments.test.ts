import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import {
  DELETIONS,
  expectRefused,
  library,
  listAndExport,
  NOTHING_TO_DELETE,
  QUESTIONS,
  RECORDS_16,
  STORE,
} from "../surplus_arguments.ts";
import { temporaryDatabase } from "./collectors.ts";
import { stateOf } from "./state_of.ts";

describe("arguments that a method does not have", () => {
  test("are refused by collectors and writers of both lines", async () => {
    for (const [line, record] of [
      [v15, { recordInteraction: ["u", 1, true, 1], recordMetric: ["u", 1, true, 1, null] }],
      [v16, RECORDS_16],
    ] as const) {
      const metrics = new line.MetricsCollector(temporaryDatabase());
      onTestFinished(() => metrics.close());
      await expectRefused(metrics, {
        ...record,
        recordMany: [[]],
        ...QUESTIONS,
        ...listAndExport(),
        ...DELETIONS,
        writer: [undefined],
        compact: [],
      });
      await expectRefused(metrics.writer(), { ...record, ...DELETIONS });
    }
  });

  test("drop the record of a writer with onError, and are reported", async () => {
    for (const line of [v15, v16]) {
      using metrics = new line.MetricsCollector(temporaryDatabase());
      const errors: unknown[] = [];
      const writer = metrics.writer({ onError: (error) => errors.push(error) });
      const record = writer.recordInteraction.bind(writer) as (...given: unknown[]) => Promise<unknown>;
      expect(await record("u", 1, true, 1, { idempotencyKey: "k" })).toBeUndefined();
      expect(errors).toMatchObject([{ code: "PERDURA_VALIDATION", argument: "arguments" }]);
      expect([writer.dropped, metrics.getAllUsers()]).toEqual([1, []]);
    }
  });

  test("are refused by the asynchronous form", async () => {
    await using persistence = await v16.openPersistenceAsync({ persistence_path: freshFolder() });
    await expectRefused(persistence.metrics, {
      ...RECORDS_16,
      recordMany: [[]],
      ...QUESTIONS,
      exportMetrics: [join(freshFolder(), "rows.json"), undefined],
      ...DELETIONS,
    });
    await expectRefused(persistence.patterns, STORE);
    const list = persistence.metrics.listInteractions as (...given: unknown[]) => AsyncIterableIterator<unknown>;
    await expect(async () => list({}, 1).next()).rejects.toMatchObject({ argument: "arguments" });
  });

  test("are refused by saves and loads, and by the store of states", async () => {
    const [json, database] = [join(freshFolder(), "library.json"), join(freshFolder(), "library.db")];
    await expectRefused(v16.PatternPersistence, {
      saveToJson: [library(), json, undefined],
      loadFromJson: [json, undefined],
      saveToSqlite: [library(), database, undefined],
      loadFromSqlite: [database, undefined],
      deleteUsage: [database, NOTHING_TO_DELETE],
    });
    for (const line of [v15, v16])
      for (const config of [{ persistence_path: freshFolder() }, { persistence_enabled: false }]) {
        const persistence = line.openPersistence(config);
        onTestFinished(() => persistence.close());
        await expectRefused(persistence.patterns, STORE);
      }
    await expectRefused(new v15.StateManager(freshFolder()), {
      saveState: ["u", stateOf("u")],
      loadState: ["u"],
      listUsers: [],
      deleteState: ["u"],
    });
  });
});
