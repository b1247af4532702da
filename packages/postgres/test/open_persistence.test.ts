import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { openPersistence, openPersistenceAsync, PatternLibrary } from "@perdura/v16";
import * as v15 from "@perdura/v15";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { newSchema } from "./elements.ts";

const clock = (): Date => new Date("2026-01-02T03:04:05Z");

describeWithPostgres("openPersistenceAsync", (postgres) => {
  describe.for(["a directory", "memory", "PostgreSQL"])("on %s", (place) => {
    test("returns the same results", async () => {
      const path = place === "PostgreSQL" ? postgres.url : freshFolder();
      const schema = newSchema();
      await using persistence = await openPersistenceAsync(
        { user_id: "alice", persistence_path: path, persistence_enabled: place !== "memory" },
        { clock, ...(place === "PostgreSQL" ? { postgres: { schema } } : {}) },
      );
      const { metrics, patterns } = persistence;
      expect(persistence.user_id).toBe("alice");
      await expect(patterns.load()).rejects.toMatchObject({ code: "PERDURA_FILE_NOT_FOUND" });
      const library = new PatternLibrary();
      library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
      expect(await patterns.save(library)).toMatchObject({ patterns: 1 });
      expect((await patterns.load()).get("p")).toEqual(library.get("p"));
      expect(await metrics.recordInteraction("alice", 4, true, 10)).toBe(1);
      await metrics.recordMetric("alice", false, 20, { tool: "search" });
      expect(await metrics.recordMany([{ user_id: "bob", success: true, response_time_ms: 1 }])).toBe(1);
      expect(await metrics.getAllUsers()).toEqual(["alice", "bob"]);
      expect(await metrics.getGlobalStats()).toEqual({ total_users: 2, total_interactions: 3, success_rate: 2 / 3 });
      expect(await metrics.getUserStats("alice")).toMatchObject({
        level_4_count: 2,
        avg_response_time_ms: 15,
        first_use: "2026-01-02 03:04:05",
      });
      const [month] = await metrics.getUserTrend("alice", { bucket: "month" });
      expect(month).toMatchObject({ period: "2026-01-01", total_operations: 2, trust: 0.45 });
      const global = await metrics.getGlobalTrend();
      expect(global).toMatchObject([{ period: "2026-01-02", total_operations: 3, level_4_count: 2 }]);
      expect(await metrics.exportMetrics(`${freshFolder()}/x.jsonl`)).toBe(3);
      await expect(metrics.recordInteraction("", 1, true, 1)).rejects.toMatchObject({ code: "PERDURA_VALIDATION" });
      const progress: unknown[] = [];
      expect(await metrics.deleteBefore("2026-01-02", { user_id: "alice" })).toEqual({ interactions: 0, metadata: 0 });
      const forgotten = metrics.forgetUser("alice", { erase: true, onProgress: (seen) => void progress.push(seen) });
      expect(await forgotten).toEqual({ interactions: 2, metadata: 1 });
      expect(progress.at(-1)).toEqual({ done: 2, total: 2 });
      expect(await metrics.deleteBefore("2027-01-01")).toEqual({ interactions: 1, metadata: 0 });
      expect(await metrics.getAllUsers()).toEqual([]);
      const misspelt = { user: "alice" } as object;
      await expect(metrics.deleteBefore("2027-01-01", misspelt)).rejects.toMatchObject({ code: "PERDURA_VALIDATION" });
      await persistence.close();
      await expect(metrics.getAllUsers()).rejects.toThrow();
      await expect(patterns.load()).rejects.toThrow();
    });
  });
});

test.each(["postgres://h/d", "s3://bucket/x"])(
  "openPersistence refuses an address and creates no directory: %s",
  (path) => {
    expect(() => openPersistence({ persistence_path: path })).toThrow(
      /expected a directory path, got an address that begins with .* For data in PostgreSQL call openPersistenceAsync/,
    );
    expect(() => v15.openPersistence({ persistence_path: path })).toThrow(/needs version 16/);
  },
);

test.each([
  [{ persistence_path: "postgres://h/d", target_level: 3 }, {}, /target_level was removed/],
  [{ persistence_path: "postgres://h/d" }, { durability: "normal" }, /durability: PostgreSQL has a server setting/],
  [{ persistence_path: "postgres://h/d" }, { postgres: { schema: "" } }, /schema: expected a name/],
  [{ persistence_path: "." }, { postgres: {} }, /persistence_path is not a PostgreSQL address/],
  [null, {}, /config: expected an object/],
])("refuses %o with %o", async (config, options, message) => {
  await expect(openPersistenceAsync(config as never, options as never)).rejects.toThrow(message);
});
