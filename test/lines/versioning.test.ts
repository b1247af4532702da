import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";

test("each line exports only the modules and names of its version", async () => {
  expect(v15.VERSION).toMatch(/^15\.\d+\.\d+$/);
  expect(v16.VERSION).toMatch(/^16\.\d+\.\d+$/);
  const facade = await import("@perdura/v15/persistence");
  expect(Object.keys(facade)).toEqual(
    expect.arrayContaining(["PatternPersistence", "StateManager", "MetricsCollector"]),
  );
  expect(Object.keys(await import("@perdura/v16/pattern_persistence"))).toEqual(["PatternPersistence"]);
  expect(Object.keys(await import("@perdura/v16/metrics_collector"))).toEqual(["MetricsCollector"]);
  expect(Object.keys(await import("@perdura/v16/pattern_library"))).toEqual(["PatternLibrary"]);
  for (const specifier of [
    "@perdura/v16/persistence",
    "@perdura/v15/metrics_collector",
    "@perdura/v16/state_manager",
    "@perdura/v16/src/index.ts",
  ]) {
    expect(() => import.meta.resolve(specifier), specifier).toThrow(
      /not defined by "exports"|ERR_PACKAGE_PATH_NOT_EXPORTED/,
    );
  }
  expect("StateManager" in v16).toBe(false);
});

test("16 names removed arguments and fields in its refusals", () => {
  using collector = new v16.MetricsCollector(join(freshFolder(), "metrics.db"));
  const recordMetric = collector.recordMetric.bind(collector) as (...given: unknown[]) => void;
  expect(() => recordMetric("u", 3, true, 12)).toThrow(
    /^empathy_level was removed in 16.0.0, but the second argument is a number, 3\. Call .*UPGRADING\.md/,
  );
  expect(() =>
    collector.recordMany([{ user_id: "u", empathy_level: 3, success: true, response_time_ms: 1 } as never]),
  ).toThrow(
    /^empathy_level was removed in 16.0.0, but records\[0\] has the field "empathy_level"\. Call .*UPGRADING\.md/,
  );
  expect(() => recordMetric("", true, 12)).toThrow(/^userId: expected text/);
  expect(() => recordMetric("u", "yes", 12)).toThrow(/^success: expected a boolean/);
  expect(() => recordMetric("u", true, -1)).toThrow(/^responseTimeMs: expected a finite number/);
  expect(() => v16.openPersistence({ persistence_enabled: false, target_level: 3 } as never)).toThrow(
    /target_level was removed in 16.0.0/,
  );
  expect(collector.getGlobalStats().total_interactions).toBe(0);
});

test("15 shows the position of the level when it is missing", () => {
  using collector = new v15.MetricsCollector(join(freshFolder(), "metrics.db"));
  expect(() => (collector.recordMetric as (...given: unknown[]) => void)("u", true, 12)).toThrow(
    /recordMetric\(userId, empathyLevel, success/,
  );
});

test("openPersistence stores everything under persistence_path", () => {
  const path = join(freshFolder(), "new", "data");
  using before = v15.openPersistence({ user_id: "u", target_level: 4, persistence_path: join(path, "15") });
  using after = v16.openPersistence({ user_id: "u", persistence_path: join(path, "16") });
  expect([before.user_id, before.target_level, after.user_id]).toEqual(["u", 4, "u"]);
  before.states.saveState("u", { user_id: "u", trust_level: 0.1 });
  for (const persistence of [before, after]) {
    expect(() => persistence.patterns.load()).toThrow(expect.objectContaining({ code: "PERDURA_FILE_NOT_FOUND" }));
    const library = new v16.PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
    expect(persistence.patterns.save(library).patterns).toBe(1);
    expect(persistence.patterns.load().size).toBe(1);
    persistence.metrics.recordInteraction("u", 1, true, 1);
  }
  const databases = (line: string): string[] =>
    readdirSync(join(path, line)).filter((name) => !/-(wal|shm)$/.test(name));
  expect(databases("15").sort()).toEqual(["metrics.db", "patterns.db", "state"]);
  expect(databases("16").sort()).toEqual(["metrics.db", "patterns.db"]);
});

test("openPersistence in memory provides the same objects and writes no file", () => {
  const path = join(freshFolder(), "untouched");
  using before = v15.openPersistence({ persistence_enabled: false, persistence_path: path });
  using after = v16.openPersistence({ persistence_enabled: false, persistence_path: path });
  for (const { patterns, metrics } of [before, after]) {
    expect(() => patterns.load()).toThrow(expect.objectContaining({ code: "PERDURA_FILE_NOT_FOUND" }));
    const library = new v15.PatternLibrary();
    library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
    patterns.save(library);
    expect(patterns.load().get("p")?.name).toBe("n");
    expect(metrics.recordInteraction("u", 2, true, 1)).toBe(1);
    expect(metrics.getUserStats("u").current_level).toBe(2);
  }
  before.states.saveState("../x", { user_id: "../x", trust_level: 0.3 });
  expect(before.states.loadState("../x")?.trust_level).toBe(0.3);
  expect(before.states.listUsers()).toEqual(["../x"]);
  expect([before.states.deleteState("../x"), before.states.deleteState("../x")]).toEqual([true, false]);
  expect(existsSync(path)).toBe(false);
});

test("openPersistence names the invalid field", () => {
  for (const [config, reason] of [
    [null, /config: expected an object, got null/],
    [{ user_id: "" }, /user_id: expected text/],
    [{ persistence_enabled: "no" }, /persistence_enabled: expected a boolean, got "no"/],
    [{ persistence_path: 5 }, /persistence_path: expected a directory path, got 5/],
  ] as const) {
    expect(() => v15.openPersistence(config as never)).toThrow(reason);
    expect(() => v16.openPersistence(config as never)).toThrow(reason);
  }
  expect(() => v15.openPersistence({ target_level: 6 })).toThrow(
    /target_level: expected an integer from 1 to 5, got 6/,
  );
});

test("isPerduraError of one line recognises errors of the other", () => {
  try {
    v15.PatternPersistence.loadFromJson("/no/such/file.json");
    expect.unreachable();
  } catch (error) {
    expect(v16.isPerduraError(error, "PERDURA_FILE_NOT_FOUND")).toBe(true);
    expect(v16.isPerduraError(error, "PERDURA_VALIDATION")).toBe(false);
  }
  expect(v15.isPerduraError(new Error("other"))).toBe(false);
});
