import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { CheckedInteraction } from "../../src/metrics/checked_interaction.ts";
import { InteractionLog } from "../../src/metrics/interaction_log.ts";
import { MANY_ROWS } from "../../src/metrics/rollup/many_rows.ts";
import { rollupHolds } from "../../src/metrics/rollup/handover.ts";
import { newPath, rollupObjects } from "./databases.ts";

function* rows(count: number): Generator<CheckedInteraction> {
  for (let each = 0; each < count; each += 1) {
    yield { userId: `u${each % 3}`, level: 1 + (each % 5), success: true, responseTimeMs: each, metadata: null };
  }
}

/** A log whose database has a rollup, and another connection to it. */
function logWithRollup(): { log: InteractionLog; other: Sqlite.Database } {
  const path = newPath();
  const log = new InteractionLog(path, "level", { durability: "normal" });
  const other = new Sqlite(path);
  onTestFinished(() => {
    log.close();
    other.close();
  });
  log.appendAll(rows(6000));
  log.ask((statistics) => statistics.global());
  expect(rollupHolds(other)).toBe(true);
  return { log, other };
}

/** The trigger alone needs most of its time for rows that it has nothing to do with. */
test("very many rows are inserted without the trigger, which is back when they are there", () => {
  const { log, other } = logWithRollup();
  const version = other.pragma("schema_version", { simple: true }) as number;
  const before = rollupObjects(other);
  expect(log.appendAll(rows(MANY_ROWS + 10))).toBe(MANY_ROWS + 10);
  // It went and came back.
  expect(other.pragma("schema_version", { simple: true })).toBe(version + 2);
  expect([rollupHolds(other), rollupObjects(other)]).toEqual([true, before]);
  expect(other.prepare("SELECT operations FROM perdura_rollup").pluck().get()).toBe(6000);
  expect(log.ask((statistics) => statistics.global()).total_interactions).toBe(MANY_ROWS + 6010);
  other.exec("INSERT INTO interactions (id, user_id, level, success) VALUES (-5, 'u1', 5, 0)");
  const { level_5_count } = log.ask((statistics) => statistics.user("u1"));
  expect(level_5_count).toBe(
    other.prepare("SELECT count(*) FROM interactions WHERE user_id = 'u1' AND level = 5").pluck().get(),
  );
});

test("a batch that fails leaves the trigger where it is", () => {
  const { log, other } = logWithRollup();
  const before = rollupObjects(other);
  function* broken(): Generator<CheckedInteraction> {
    yield* rows(MANY_ROWS + 10);
    throw new Error("no more");
  }
  expect(() => log.appendAll(broken())).toThrow("no more");
  expect([rollupHolds(other), rollupObjects(other)]).toEqual([true, before]);
  expect(log.ask((statistics) => statistics.global()).total_interactions).toBe(6000);
});

test("where a trigger of the user inserts rows of its own, all of them are watched", () => {
  const { log, other } = logWithRollup();
  other.exec(`CREATE TRIGGER mine AFTER INSERT ON interactions WHEN NEW.id = 30000 BEGIN
    INSERT OR REPLACE INTO interactions (id, user_id, level, success) VALUES (7, 'low', 1, 1); END`);
  expect(log.ask((statistics) => statistics.global()).total_users).toBe(3);
  expect(rollupHolds(other)).toBe(true);
  log.appendAll(rows(3 * MANY_ROWS));
  expect(other.prepare("SELECT user_id FROM interactions WHERE id = 7").pluck().get()).toBe("low");
  expect(log.ask((statistics) => statistics.user("low")).total_operations).toBe(1);
  expect(log.ask((statistics) => statistics.global()).total_users).toBe(4);
});
