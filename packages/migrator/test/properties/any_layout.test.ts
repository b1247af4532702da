import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { checkFile, type FileFinding } from "@perdura/conformance";
import * as v16 from "@perdura/v16";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DatabaseContent } from "../../../../fixtures/database_content.ts";
import { makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
// Judged below, because constraints may be missing.
import { downgradeMigration, migrate, type MigrationOptions, verifyMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { runPrintedStatements } from "../support/printed_statements.ts";
import { wholeContent } from "../support/whole_content.ts";
import { inUse, type RandomLayout, randomLayout, writeRandomLayout } from "./random_layout.ts";
import { RUNS, TIMEOUT_MS } from "./runs.ts";

type DatabaseReport = Awaited<ReturnType<typeof migrate>>["databases"][number];

/** Records of each kind that version 16 writes, so many of each. */
const RECORDS = 100;

/** Options that a decision stands for. */
function optionsOf({ decisions, pattern_choices: [choice] }: DatabaseReport): MigrationOptions {
  const chosen = new Set(decisions);
  return {
    ...(chosen.has("missing-level") ? { missingLevel: 2 } : {}),
    ...(chosen.has("broken-references") ? { brokenReferences: "repair" } : {}),
    ...(chosen.has("quarantine") || chosen.has("repair") ? { invalidRows: "quarantine" } : {}),
    ...(chosen.has("repair") && choice !== undefined
      ? {
          nonFinite: choice.non_finite ?? undefined,
          timestamps: choice.timestamps ?? undefined,
          patternIds: choice.pattern_ids ?? undefined,
        }
      : {}),
  };
}

/** Checks that 16 reads every row, and answers for every user that it lists. */
function expectAnswers(path: string): void {
  const [[rows = 0n] = []] = query<[bigint]>(path, "SELECT count(*) FROM interactions");
  const collector = new v16.MetricsCollector(path);
  try {
    const users = [...collector.getAllUsers()];
    const totals = users.map((user) => collector.getUserStats(user).total_operations);
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(Number(rows));
    expect(collector.getGlobalStats()).toMatchObject({ total_interactions: Number(rows), total_users: users.length });
    for (const user of users.slice(0, 3)) expect(() => collector.getUserTrend(user, { bucket: "day" })).not.toThrow();
    expect(collector.exportMetrics(`${path}.jsonl`)).toBe(Number(rows));
  } finally {
    collector.close();
  }
}

/** Records and saves with 16, and checks that each row is stored as recorded. */
function expectRecords(path: string): void {
  const [[last = 0n] = []] = query<[bigint]>(path, "SELECT coalesce(max(id), 0) FROM interactions");
  const collector = new v16.MetricsCollector(path);
  const wanted: unknown[] = [];
  try {
    for (let n = 0; n < RECORDS; n += 1) {
      const user = ["since", "007", "1e3"][n % 3] as string;
      const level = (n % 5) + 1;
      const metadata = n % 2 === 0 ? { tool: "search", n } : null;
      const ms = n % 4 === 0 ? n : n + 0.1;
      collector.recordInteraction(user, level, n % 3 > 0, ms);
      collector.recordMetric(user, n % 3 === 0, ms, metadata);
      wanted.push(
        ["text", user, BigInt(level), n % 3 > 0 ? 1n : 0n, ms, null],
        ["text", user, BigInt(level), n % 3 === 0 ? 1n : 0n, ms, metadata && JSON.stringify(metadata)],
      );
    }
  } finally {
    collector.close();
  }
  expect(
    query(
      path,
      `SELECT typeof(user_id), user_id, level, success, CAST(response_time_ms AS REAL), m.metadata
       FROM interactions LEFT JOIN interaction_metadata AS m ON interaction_id = interactions.id
       WHERE interactions.id > ${last} ORDER BY interactions.id`,
    ),
  ).toEqual(wanted);
}

function expectSaves(path: string): void {
  const library = v16.PatternPersistence.loadFromSqlite(path);
  for (let n = 0; n < RECORDS; n += 1)
    library.contribute(`agent ${n % 3}`, {
      id: `00${n}`,
      pattern_type: "007",
      name: "1e3",
      confidence: n / RECORDS,
      context: { n },
      tags: ["3.0"],
      code: "5",
    });
  v16.PatternPersistence.saveToSqlite(library, path);
  expect(v16.PatternPersistence.loadFromSqlite(path).patterns).toEqual(library.patterns);
}

test(
  "up refuses any database with a reason and a way, or 16 reads it, answers and records; down is exact",
  { timeout: TIMEOUT_MS },
  async () => {
    const folder = freshFolder();
    let run = 0;
    const outcomes = { migrated: 0, "migrated as decided": 0, refused: 0, nothing_to_do: 0 };
    await fc.assert(
      fc.asyncProperty(randomLayout, fc.boolean(), async (random, backup) => {
        using layout = inUse(random);
        const place = join(folder, String((run += 1)));
        mkdirSync(place);
        const path = join(place, "m.db");
        writeRandomLayout(path, layout);
        let before = wholeContent(path);
        let options: MigrationOptions = { saveReport: false };
        let report = (await migrate(path, options)).databases[0] as DatabaseReport;
        while (report.decisions.length === 0 && runPrintedStatements(path, report.reason)) {
          before = wholeContent(path);
          const { reason } = report;
          report = (await migrate(path, options)).databases[0] as DatabaseReport;
          expect(report.reason).not.toBe(reason);
        }
        const wasRefused = report.status === "refused";
        if (wasRefused) {
          expect(wholeContent(path)).toEqual(before);
          if (report.decisions.length === 0) {
            outcomes.refused += 1;
            expect(report.reason).toMatch(WAYS);
            return;
          }
          options = { ...options, ...optionsOf(report) };
          report = (await migrate(path, options)).databases[0] as DatabaseReport;
        }
        expect(report.reason).toBe(null);
        if (report.status === "nothing_to_do") outcomes.nothing_to_do += 1;
        else {
          expect(report).toMatchObject({ status: "migrated", verification: { differences: [] } });
          outcomes[wasRefused ? "migrated as decided" : "migrated"] += 1;
        }
        expect(await verifyMigration(path)).toMatchObject({ exit_code: report.status === "migrated" ? 0 : 1 });
        const copy = join(place, "copy.db");
        copyFileSync(path, copy);
        expectAnswers(copy);
        expectRecords(copy);
        expectAnswers(copy);
        if (isDeclaredAsSpecified(layout))
          expect(checkFile(copy, { line: "16" }).findings.filter(isOfDefinition)).toEqual([]);
        if (layout.patterns !== null) expectSaves(copy);
        if (report.status === "nothing_to_do") return;
        const down = await downgradeMigration(path, { backup, saveReport: false });
        expect(down.databases[0]?.reason).toBe(null);
        expect(down).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
        expect(withoutLogs(wholeContent(path))).toEqual(withoutLogs(before));
        if (layout.own.some((sql) => sql.includes("my_words")))
          makeDatabase(path, "INSERT INTO my_words (my_words, rank) VALUES ('integrity-check', 1)");
        rmSync(place, { recursive: true });
      }),
      { numRuns: 25 * RUNS, endOnFailure: RUNS > 1 },
    );
    // Of a short run, each number alone may be small.
    expect(outcomes.migrated + outcomes["migrated as decided"]).toBeGreaterThan(3);
    if (RUNS >= 4) expect(Math.min(outcomes.migrated, outcomes["migrated as decided"])).toBeGreaterThan(3);
    if (RUNS >= 4) expect(outcomes.refused).toBeLessThan(run / 2);
  },
);

/** True for a table whose columns have types and constraints that the specification requires. */
function isDeclaredAsSpecified({ types, more }: RandomLayout): boolean {
  const required = [types.user_id, types.success, types.level];
  return required.every((type) => type.endsWith(" NOT NULL")) && more.length === 0;
}

/** True for an error about the definition of the interactions, not about values. */
function isOfDefinition({ level, cell }: FileFinding): boolean {
  return level === "error" && cell?.table === "interactions" && cell.row === undefined;
}

/** Without what the user's triggers wrote when rows left and came back: each is logged once more. */
function withoutLogs(content: DatabaseContent): DatabaseContent {
  const tables = Object.entries(content.tables).filter(([name]) => !/^my_(?:log|gone|words_)/.test(name));
  return { ...content, tables: Object.fromEntries(tables) };
}

/** Words of a refusal that tells what to do. */
const WAYS = /first|shell|--|Correct|ALTER TABLE/;
