import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { PatternLibrary } from "@perdura/v16";
import fc from "fast-check";
import type { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import type { PostgresMetricsCollector, PostgresPatternPersistence } from "../src/index.ts";
import { ensureTables } from "../src/layout/set_up.ts";
import { StatisticsReader } from "../src/metrics/statistics_reader.ts";
import { PostgresTables } from "../src/tables.ts";
import { DECLARED, expectBreakdowns } from "./counted_breakdowns.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectTrends, trendsOfCollector } from "./counted_trends.ts";
import { metricsIn, newSchema, otherProgram, patternsIn } from "./elements.ts";
import { LAYOUTS, ON_CITUS } from "./layouts.ts";
import { runs } from "./runs.ts";

const USERS = ["a", "b", "ä"];
const USER = fc.constantFrom(...USERS);
/** Times with their moments; null for one that is not readable. */
const MOMENTS = new Map<string | null, string | null>([
  ["2024-01-01 00:00:00", "2024-01-01T00:00:00.000Z"],
  ["2024-01-01 23:59:59.75", "2024-01-01T23:59:59.750Z"],
  ["2024-01-02T01:30:00+02:00", "2024-01-01T23:30:00.000Z"],
  ["2024-02-29T12:30:00", "2024-02-29T12:30:00.000Z"],
  ["2023-12-31 23:30:00-01:00", "2024-01-01T00:30:00.000Z"],
  ["2025-06-01", "2025-06-01T00:00:00.000Z"],
  ["yesterday", null],
  ["", null],
  [null, null],
]);
const LIMIT = fc.constantFrom(
  "2024-01-01T00:30:00.000",
  "2024-01-01T23:59:59.75",
  "2024-01-02",
  "2024-03-01",
  "2026-01-01",
);

const AGENT = fc.constantFrom("agent-1", "agent-2", "ä");
const PATTERNS = ["p0", "p1"];
const PATTERN = fc.constantFrom(...PATTERNS);
const ERASE = fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });

const STEP = fc.oneof(
  { weight: 3, arbitrary: fc.record({ record: USER, rows: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 4, arbitrary: fc.record({ insert: USER, time: fc.constantFrom(...MOMENTS.keys()), isNew: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        "UPDATE interactions SET level = 4, success = NOT success WHERE id % 3 = 0",
        "DELETE FROM interactions WHERE id % 4 = 0",
        "SET LOCAL session_replication_role = replica; DELETE FROM interactions WHERE id % 5 = 0",
        "UPDATE interactions SET timestamp = '2024-01-01 10:00:00' WHERE id % 7 = 0",
        `UPDATE interaction_metadata SET metadata = '{"tool": "mail", "model": 1}' WHERE interaction_id % 3 = 0`,
      )
      .map((sql) => ({ sql })),
  },
  { weight: 2, arbitrary: fc.record({ forget: USER, erase: ERASE }) },
  { weight: 3, arbitrary: fc.record({ before: LIMIT, user: fc.option(USER, { nil: undefined }), erase: ERASE }) },
  { weight: 2, arbitrary: fc.constant("fold" as const) },
  { weight: 3, arbitrary: fc.record({ uses: fc.array(AGENT, { minLength: 1, maxLength: 30 }) }) },
  { weight: 1, arbitrary: fc.record({ removedUsesOf: AGENT }) },
  {
    weight: 3,
    arbitrary: fc
      .record({ ofUses: fc.record({ agent_id: AGENT, pattern_id: PATTERN }, { requiredKeys: [] }), erase: ERASE })
      .filter(({ ofUses }) => Object.keys(ofUses).length > 0),
  },
);

interface Row {
  id: string;
  user_id: string;
  timestamp: string | null;
  hasMetadata: boolean;
}

describeWithPostgres("deletions", (postgres) => {
  test.for(LAYOUTS)(
    "leave the rows that they should, and right answers, between any changes, in %s",
    async ([, options]) => {
      const schema = newSchema();
      const metrics = metricsIn(postgres.url, { schema, ...options, breakdown: DECLARED });
      await metrics.getAllUsers();
      const connection = new Connection(postgres.url, checkedOptions({ schema, ...options }));
      onTestFinished(() => connection.close());
      const patterns = patternsIn(postgres.url, { schema, ...options });
      const plain = otherProgram(postgres.url, schema);
      // On a cluster, the triggers are made with the sums.
      const tables = new PostgresTables(postgres.url, { schema });
      await tables.refresh();
      await tables.close();
      const withUser = !ON_CITUS && options.partitions === undefined ? "" : " AND m.user_id = i.user_id";
      const rows = async (): Promise<Row[]> =>
        (
          await plain.query<Row>(`SELECT id::text, i.user_id, timestamp, m.interaction_id IS NOT NULL AS "hasMetadata"
            FROM interactions AS i LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id${withUser} ORDER BY id`)
        ).rows;
      const insert = async (user: string, time: string | null, isNew: boolean): Promise<void> => {
        const id = isNew ? `-${(await rows()).length}` : "DEFAULT";
        await plain.query(
          `INSERT INTO interactions (id, user_id, level, success, timestamp) VALUES (${id}, $1, 2, true, $2) ON CONFLICT DO NOTHING`,
          [user, time],
        );
      };
      await fc.assert(
        fc.asyncProperty(fc.array(STEP, { minLength: 3, maxLength: 25, size: "max" }), async (steps) => {
          await plain.query("TRUNCATE interactions RESTART IDENTITY CASCADE");
          const uses = await newUses(patterns, plain);
          for (const step of steps) {
            if (step === "fold") {
              await metrics.recount();
              await new StatisticsReader(connection, (await ensureTables(connection)).names).foldAll(2);
            } else if ("uses" in step) await uses.add(step.uses);
            else if ("removedUsesOf" in step) await uses.removeByOther(step.removedUsesOf);
            else if ("ofUses" in step) await uses.expectDeletion(step.ofUses, step.erase);
            else if ("record" in step)
              await metrics.recordMany(
                Array.from({ length: step.rows }, (_, row) => ({
                  user_id: step.record,
                  success: row % 2 === 0,
                  response_time_ms: row,
                  metadata: { row, tool: row % 3 === 0 ? null : `tool ${row % 2}`, tokens: row / 4 },
                })),
              );
            else if ("insert" in step) await insert(step.insert, step.time, step.isNew);
            else if ("sql" in step) await inTransaction(plain, step.sql);
            else await expectDeletion(metrics, rows, step);
          }
          await expectRightAnswers(metrics, plain);
          await expectBreakdown(metrics, plain, withUser);
          await expectBreakdowns(connection, await ensureTables(connection), plain);
          await uses.expectCounters();
          const orphans =
            "SELECT 1 FROM interaction_metadata WHERE interaction_id NOT IN (SELECT id FROM interactions)";
          expect((await plain.query(orphans)).rows).toEqual([]);
          expect(await metrics.recount()).toMatchObject({ wrongUsers: [], wrongTotals: false });
        }),
        { numRuns: runs(12) },
      );
    },
  );
});

/** Runs statements in a transaction, each alone: Citus sends workers the whole text of a message. */
async function inTransaction(plain: Pool, statements: string): Promise<void> {
  const client = await plain.connect();
  const settings = ON_CITUS ? ["SET LOCAL citus.propagate_set_commands = local"] : [];
  for (const statement of ["BEGIN", ...settings, ...statements.split(";"), "COMMIT"]) await client.query(statement);
  client.release();
}

async function expectDeletion(
  metrics: PostgresMetricsCollector,
  rows: () => Promise<Row[]>,
  step: { forget: string; erase: boolean } | { before: string; user: string | undefined; erase: boolean },
): Promise<void> {
  const stored = await rows();
  const isDue = ({ user_id: user, timestamp }: Row): boolean => {
    if ("forget" in step) return user === step.forget;
    const known = MOMENTS.get(timestamp);
    const moment = known === undefined ? `${timestamp?.replace(" ", "T")}Z` : known;
    const limit = new Date(step.before.length === 10 ? step.before : `${step.before}Z`);
    return (step.user === undefined || user === step.user) && moment !== null && new Date(moment) < limit;
  };
  const due = stored.filter(isDue);
  const deleted = await ("forget" in step
    ? metrics.forgetUser(step.forget, { erase: step.erase })
    : metrics.deleteBefore(step.before, {
        erase: step.erase,
        ...(step.user === undefined ? {} : { user_id: step.user }),
      }));
  expect(deleted).toEqual({
    interactions: due.length,
    metadata: due.filter(({ hasMetadata }) => hasMetadata).length,
  });
  expect(await rows()).toEqual(stored.filter((row) => !isDue(row)));
}

async function expectRightAnswers(metrics: PostgresMetricsCollector, plain: Pool): Promise<void> {
  const counted = await countedRows(plain);
  expect(await metrics.getGlobalStats()).toEqual(counted.global);
  expect(await metrics.getAllUsers()).toEqual(counted.users);
  for (const user of USERS)
    expect(withoutMean(await metrics.getUserStats(user))).toEqual(withoutMean(counted.user(user)));
  await expectTrends(trendsOfCollector(metrics), plain, USERS);
}

/** Groups by a key of the metadata, as SQL counts them. */
async function expectBreakdown(metrics: PostgresMetricsCollector, plain: Pool, withUser: string): Promise<void> {
  const { rows } = await plain.query<{ value: string | null; count: number }>(
    `SELECT m.metadata::jsonb ->> 'tool' AS value, count(*)::int AS count FROM interactions AS i
       LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id${withUser} GROUP BY 1`,
  );
  const found = await metrics.getBreakdown("tool");
  expect(new Map(found.map(({ value, total_operations: count }) => [value, count]))).toEqual(
    new Map(rows.map(({ value, count }) => [value, count])),
  );
}

interface Use {
  id: string;
  pattern_id: string;
  agent_id: string;
}

/** A library without uses, and what is done with its uses. */
async function newUses(patterns: PostgresPatternPersistence, plain: Pool) {
  const library = new PatternLibrary();
  for (const id of PATTERNS) library.contribute("owner", { id, pattern_type: "t", name: "n" });
  await patterns.save(library, { mode: "replace" });
  await plain.query("DELETE FROM pattern_usage");
  await plain.query("UPDATE patterns SET usage_count = 0, success_count = 0, failure_count = 0");
  const removedByOther = new Map<string, number>();
  const stored = async (): Promise<Use[]> =>
    (await plain.query<Use>("SELECT id::text, pattern_id, agent_id FROM pattern_usage ORDER BY pattern_usage.id")).rows;
  return {
    add: async (agents: readonly string[]): Promise<void> => {
      const loaded = await patterns.load();
      for (const [place, agent] of agents.entries())
        loaded.recordUsage(PATTERNS[place % 2] as string, agent, place % 3 > 0);
      await patterns.save(loaded);
    },
    /** Another program removes rows, and keeps the counters. */
    removeByOther: async (agent: string): Promise<void> => {
      const { rows } = await plain.query<{ pattern_id: string }>(
        "DELETE FROM pattern_usage WHERE agent_id = $1 AND id % 3 = 0 RETURNING pattern_id",
        [agent],
      );
      for (const { pattern_id: id } of rows) removedByOther.set(id, 1 + (removedByOther.get(id) ?? 0));
    },
    expectDeletion: async (asked: { agent_id?: string; pattern_id?: string }, erase: boolean): Promise<void> => {
      const before = await stored();
      const isDue = ({ agent_id: agent, pattern_id: pattern }: Use): boolean =>
        (asked.agent_id ?? agent) === agent && (asked.pattern_id ?? pattern) === pattern;
      const due = before.filter(isDue);
      expect(await patterns.deleteUsage({ ...asked, erase })).toEqual({
        usageRows: due.length,
        patterns: new Set(due.map(({ pattern_id: pattern }) => pattern)).size,
      });
      expect(await stored()).toEqual(before.filter((use) => !isDue(use)));
    },
    expectCounters: async (): Promise<void> => {
      const { rows } = await plain.query<{ id: string; uses: number; both: number }>(
        "SELECT id, usage_count::int AS uses, (success_count + failure_count)::int AS both FROM patterns",
      );
      const left = await stored();
      for (const { id, uses, both } of rows) {
        const ofPattern = left.filter(({ pattern_id: pattern }) => pattern === id).length;
        expect({ id, uses, both }).toEqual({ id, uses: ofPattern + (removedByOther.get(id) ?? 0), both: uses });
      }
    },
  };
}
