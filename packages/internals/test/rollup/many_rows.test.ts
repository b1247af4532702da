import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { CheckedInteraction } from "../../src/metrics/checked_interaction.ts";
import { InteractionLog } from "../../src/metrics/interaction_log.ts";
import { isRollupReady } from "../../src/metrics/rollup/handover.ts";
import { newPath, rollupObjects } from "./databases.ts";

const MANY_ROWS = 10_000;

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
  expect(isRollupReady(other)).toBe(true);
  return { log, other };
}

/** Each change of the schema makes every other connection read it again. */
test("recording very many rows does not change the triggers or the schema", () => {
  const { log, other } = logWithRollup();
  const version = other.pragma("schema_version", { simple: true });
  const before = rollupObjects(other);
  expect(log.appendAll(rows(MANY_ROWS + 10))).toBe(MANY_ROWS + 10);
  expect(rollupObjects(other)).toEqual(before);
  expect(other.pragma("schema_version", { simple: true })).toBe(version);
  expect(log.ask((statistics) => statistics.global()).total_interactions).toBe(MANY_ROWS + 6010);
});

test("counts rows that a trigger of the user inserts", () => {
  const { log, other } = logWithRollup();
  other.exec(`CREATE TRIGGER mine AFTER INSERT ON interactions WHEN NEW.id = 30000 BEGIN
    INSERT OR REPLACE INTO interactions (id, user_id, level, success) VALUES (7, 'low', 1, 1); END`);
  expect(log.ask((statistics) => statistics.global()).total_users).toBe(3);
  expect(isRollupReady(other)).toBe(true);
  log.appendAll(rows(3 * MANY_ROWS));
  expect(other.prepare("SELECT user_id FROM interactions WHERE id = 7").pluck().get()).toBe("low");
  expect(log.ask((statistics) => statistics.user("low")).total_operations).toBe(1);
  expect(log.ask((statistics) => statistics.global()).total_users).toBe(4);
});
