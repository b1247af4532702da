import { join } from "node:path";
import { checkFile } from "@perdura/conformance";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { PATTERN_INDEXES } from "@perdura/internals/patterns/sqlite_schema.js";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type MigrationOptions, planMigration, downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { runPrintedStatements } from "../support/printed_statements.ts";
import { wholeContent } from "../support/whole_content.ts";
import { RUNS } from "../properties/runs.ts";
import { addPatterns, fieldRows, fieldTables, usageOf } from "./field_patterns.ts";

const BESIDE = ["nothing", "interactions", "metrics"] as const;

const decisions: fc.Arbitrary<MigrationOptions> = fc.record({
  invalidRows: fc.constantFrom("quarantine", "quarantine", "abort"),
  nonFinite: fc.constantFrom(undefined, "null", "text"),
  timestamps: fc.constantFrom(undefined, "drop-zone", "utc"),
  patternIds: fc.constantFrom(undefined, "assign"),
  fence: fc.constantFrom("tombstone", "none"),
});

function makeHome(path: string, beside: (typeof BESIDE)[number]): void {
  if (beside === "nothing") return;
  makeDatabase(path, beside === "metrics" ? FIELD_A : DOCUMENTED_15);
  addRows(path, beside, 3);
}

/** Number of patterns that a line loads; undefined if it refuses the library. */
function loads({ PatternPersistence }: typeof v15 | typeof v16, path: string): number | undefined {
  try {
    return PatternPersistence.loadFromSqlite(path).size;
  } catch (error) {
    if (isPerduraError(error)) return undefined;
    throw error;
  }
}

test("16 reads every pattern that up migrated; down restores every value", async () => {
  const outcomes = { migrated: 0, refused: 0, repaired: 0, quarantined: 0 };
  await fc.assert(
    fc.asyncProperty(fieldTables, fc.constantFrom(...BESIDE), decisions, async ({ ids, rows }, beside, options) => {
      const path = join(freshFolder(), "m.db");
      makeHome(path, beside);
      const count = addPatterns(path, rows, usageOf(rows), ids);
      let before = wholeContent(path);
      const wasRead = loads(v16, path);
      expect(loads(v15, path)).toBe(wasRead);
      let report = await migrate(path, { ...options, saveReport: false });
      if (runPrintedStatements(path, report.databases[0]?.reason)) {
        before = wholeContent(path);
        report = await migrate(path, { ...options, saveReport: false });
      }
      if (report.exit_code === 3) {
        outcomes.refused += 1;
        expect([options.invalidRows, wasRead]).toEqual(["abort", undefined]);
        expect(wholeContent(path)).toEqual(before);
        return;
      }
      expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "migrated", reason: null }] });
      outcomes.migrated += 1;
      const { other_tables: others = [] } = report.databases[0]?.verification ?? {};
      const quarantined = others.find(({ table }) => table === "patterns")?.quarantined ?? 0;
      outcomes.quarantined += quarantined;
      outcomes.repaired += others.find(({ table }) => table === "patterns")?.repaired ?? 0;
      expect(loads(v16, path)).toBe(count - quarantined);
      expect(loads(v15, path)).toBe(count - quarantined);
      expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
      expect(await migrate(path, { ...options, saveReport: false })).toMatchObject({
        exit_code: 0,
        databases: [{ status: "nothing_to_do" }],
      });
      const back = await downgradeMigration(path, { saveReport: false });
      expect(back).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded", reason: null }] });
      expect(wholeContent(path)).toEqual(before);
      expect(await verifyMigration(path)).toMatchObject({ exit_code: 0 });
    }),
    { numRuns: 40 * RUNS },
  );
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(0);
});

test("plan, both lines and check-file agree about any table of patterns", async () => {
  const verdicts = { readable: 0, not: 0 };
  await fc.assert(
    fc.asyncProperty(fieldRows, async (rows) => {
      const path = join(freshFolder(), "m.db");
      addPatterns(path, rows);
      makeDatabase(path, ...Object.values(PATTERN_INDEXES));
      const size = loads(v16, path);
      verdicts[size === undefined ? "not" : "readable"] += 1;
      expect(loads(v15, path)).toBe(size);
      const { exit_code: code, databases } = await planMigration(path);
      expect([code, databases[0]?.status]).toEqual(size === undefined ? [3, "refused"] : [0, "nothing_to_do"]);
      const { lines, findings } = await checkFile(path);
      // The only column that no line reads.
      const read = findings.filter(({ at }) => !at.startsWith("patterns.updated_at"));
      const errors = read.filter(({ level }) => level === "error");
      // A remark is about a ruling of the readers.
      if (size === undefined) expect(read).not.toEqual([]);
      else expect(errors).toEqual([]);
      if (errors.length > 0) expect(lines.map(({ conforms }) => conforms)).toEqual([false, false]);
    }),
    { numRuns: 60 * RUNS },
  );
  for (const count of Object.values(verdicts)) expect(count).toBeGreaterThan(0);
});

test("counts a pattern with several faults in each kind, and repairs it only with all decisions", async () => {
  const path = join(freshFolder(), "m.db");
  addPatterns(path, [
    {
      id: "both",
      agent_id: "a",
      pattern_type: "t",
      name: "n",
      context: '{"a": NaN}',
      last_used: "2024-03-10T02:30:00Z",
    },
  ]);
  const kinds = (report: Awaited<ReturnType<typeof migrate>>): unknown =>
    report.databases[0]?.unusual_rows.map(({ kind, rows, blocks, row_ids: ids }) => [kind, rows, blocks, ids]);
  expect(kinds(await migrate(path, { nonFinite: "null" }))).toEqual([
    ["pattern_non_finite", 1, true, ["both"]],
    ["pattern_timestamp_with_zone", 1, true, ["both"]],
  ]);
  const report = await migrate(path, { nonFinite: "text", timestamps: "utc" });
  expect(report.exit_code).toBe(0);
  expect(query(path, "SELECT context, last_used FROM patterns")).toEqual([['{"a":"NaN"}', "2024-03-10T02:30:00"]]);
  expect(query(path, "SELECT pattern_id, column_name, original, repaired FROM perdura_repaired_values")).toEqual([
    ["both", "context", '{"a": NaN}', '{"a":"NaN"}'],
    ["both", "last_used", "2024-03-10T02:30:00Z", "2024-03-10T02:30:00"],
  ]);
});
