import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { valuePlaces } from "@perdura/internals/json/value_places.js";
import { PatternPersistence } from "@perdura/v16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { downgradeMigration, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { wholeContent } from "../support/whole_content.ts";
import { freshFolder } from "../support/folder.ts";
import { RUNS } from "../properties/runs.ts";
import { addPatterns, type FieldRow } from "./field_patterns.ts";
import { documents, item, optionsOf } from "./random_documents.ts";

const read = (path: string): number | undefined => {
  try {
    return PatternPersistence.loadFromJson(path).size;
  } catch {
    return undefined;
  }
};

test("every choice for a JSON library gives what it promises; untouched bytes stay, and down restores all", async () => {
  const outcomes = { repaired: 0, quarantined: 0 };
  await fc.assert(
    fc.asyncProperty(documents, fc.nat(), async ({ text, patterns }, pick) => {
      const path = join(freshFolder(), "library.dat");
      writeFileSync(path, text);
      const report = await planMigration(path);
      // It must look like a library: other programs have lists of patterns, too.
      fc.pre(report.left_alone.every(({ reason }) => !reason.startsWith("not data")));
      if (read(path) !== undefined) {
        expect(report.exit_code).toBe(0);
        return;
      }
      expect(report.exit_code).toBe(3);
      const { pattern_choices: choices, unusual_rows: unusual } = report.databases[0] ?? {};
      expect(unusual).not.toEqual([]);
      for (const choice of new Set([choices?.[0], choices?.[pick % Math.max(1, choices.length)]])) {
        if (choice === undefined) expect.unreachable(JSON.stringify(report.databases[0]?.reason));
        const { quarantined } = choice;
        outcomes[quarantined === 0 ? "repaired" : "quarantined"] += 1;
        const done = await migrate(path, optionsOf(choice));
        expect(done).toMatchObject({ exit_code: 0, databases: [{ status: "migrated", reason: null }] });
        expect(read(path)).toBe(patterns.length - quarantined);
        const now = readFileSync(path, "utf8");
        expect(now.startsWith("\ufeff")).toBe(text.startsWith("\ufeff"));
        for (const untouched of patterns.filter((one, at) => one === item({ id: `"p${at}"` })))
          expect(now).toContain(untouched);
        expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
        expect(await downgradeMigration(path, { saveReport: false })).toMatchObject({ exit_code: 0 });
        expect(readFileSync(path, "utf8")).toBe(text);
      }
    }),
    { numRuns: 60 * RUNS },
  );
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(0);
});

/** The values of a pattern as the columns of a table, as a program of the time wrote them. */
function rowOf(text: string): FieldRow {
  const row: FieldRow = {};
  for (const { path, start, end, token } of valuePlaces(text, 1)) {
    if (path.length !== 1 || path[0] === undefined || path[0] === "mine") continue;
    const written = text.slice(start, end);
    const isJson = path[0] === "context" || path[0] === "tags";
    row[path[0]] = isJson && written !== "null" ? written : token === undefined ? JSON.parse(written) : Number(token);
  }
  return row;
}

/** Values that a column of that type stores unchanged; NaN becomes NULL in SQLite. */
const ROWS = fc.record(
  {
    agent_id: fc.constantFrom('"a"', '""', '"a\\u0000"'),
    name: fc.constantFrom('"n"', '""'),
    context: fc.constantFrom('{"x": NaN}', "NaN", "[]", "5", '{"k": NaN, "k": 1}', "null"),
    tags: fc.constantFrom('["t", NaN]', "[1]", "NaN", '"t"', "{}", "[[NaN]]"),
    confidence: fc.constantFrom("Infinity", "-Infinity", '"high"', "1", "null"),
    usage_count: fc.constantFrom("Infinity", "2.5", '"many"', "9007199254740993"),
    discovered_at: fc.constantFrom('""', '"20240310T023000"', '"2024-03-10"', '"soon"', "Infinity", "1710037800"),
  },
  { requiredKeys: [] },
);

test("the same pattern has the same kinds in JSON and in SQLite, and every choice works in both", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ROWS, { minLength: 1, maxLength: 4 }), async (all) => {
      const texts = all.map((fields, index) => item({ id: `"p${index}"`, ...fields }));
      const folder = freshFolder();
      const [json, database] = [join(folder, "p.json"), join(folder, "p.db")];
      writeFileSync(json, `{"patterns": [${texts.join(", ")}]}`);
      addPatterns(database, texts.map(rowOf));
      const [ofJson, ofDatabase] = await Promise.all([json, database].map((path) => planMigration(path)));
      const kinds = (report: typeof ofJson): unknown =>
        report?.databases.flatMap(({ unusual_rows: rows }) =>
          rows.map(({ kind, description, rows: count, ways }) => ({ kind, description, count, ways })),
        );
      const ordered = (list: unknown): unknown => (list as object[]).map((one) => JSON.stringify(one)).toSorted();
      expect(ordered(kinds(ofDatabase))).toEqual(ordered(kinds(ofJson)));
      const choices = ofDatabase?.databases[0]?.pattern_choices ?? [];
      expect(choices).toEqual(ofJson?.databases[0]?.pattern_choices ?? []);
      const [best] = choices;
      if (best === undefined) return;
      const before = wholeContent(database);
      expect(await migrate(database, optionsOf(best))).toMatchObject({ exit_code: 0 });
      expect(PatternPersistence.loadFromSqlite(database).size).toBe(texts.length - best.quarantined);
      expect(await downgradeMigration(database, { saveReport: false })).toMatchObject({ exit_code: 0 });
      expect(wholeContent(database)).toEqual(before);
    }),
    { numRuns: 60 * RUNS },
  );
});

test("one command for many patterns is not quadratic in their number", async () => {
  const path = join(freshFolder(), "library.json");
  const all = Array.from({ length: 3000 }, () => item({ id: '"same"' }));
  writeFileSync(path, `{"patterns": [${all.join(",")}], "agent_contributions": {"a": ["same"]}}`);
  expect(await migrate(path, { patternIds: "assign" })).toMatchObject({ exit_code: 0 });
  expect(PatternPersistence.loadFromJson(path).agentContributions.get("a")).toHaveLength(3000);
  expect(statSync(path).nlink).toBe(1);
});
