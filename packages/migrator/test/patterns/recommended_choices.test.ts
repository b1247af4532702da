import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { valuePlaces } from "@perdura/internals/json/value_places.js";
import { PatternPersistence } from "@perdura/v16";
import fc from "fast-check";
import { expect, test } from "vitest";
import { downgradeMigration, migrate, type MigrationOptions, planMigration, verifyMigration } from "../../src/index.ts";
import { wholeContent } from "../support/whole_content.ts";
import { freshFolder } from "../support/folder.ts";
import { RUNS } from "../properties/runs.ts";
import { addPatterns, type FieldRow } from "./field_patterns.ts";

type Choice = Awaited<ReturnType<typeof planMigration>>["databases"][number]["pattern_choices"][number];

const optionsOf = ({
  non_finite: nonFinite,
  timestamps,
  pattern_ids: patternIds,
  invalid_rows: invalidRows,
}: Choice): MigrationOptions => ({
  nonFinite: nonFinite ?? undefined,
  timestamps: timestamps ?? undefined,
  patternIds: patternIds ?? undefined,
  invalidRows,
  saveReport: false,
});

/** Values of a field as JSON text; undefined if it is absent. */
const TIMES = [
  "null",
  '"2024-03-10T02:30:00"',
  '""',
  '"20240310T023000"',
  '"2024-03-10"',
  '"soon"',
  "NaN",
  "1710037800",
];
const COUNTS = ["0", "3", "1.0", "1E2", "NaN", "-Infinity", "2.5", '"3"', "1e400", "null"];
const TEXTS = ['"n"', "null", undefined, "NaN", "7", '"\\ud83d"'];
const IDS = ['""', "7", "7.50", "null", undefined, "NaN", '"a\\u0000"', '"\\udc00"', '"p0"', '"p1"', "[]", "true"];

const pattern = fc.record(
  {
    agent_id: fc.constantFrom('"a"', '"a"', '"b"', '""', "7", "null", undefined, '"a\\u0000"', "NaN"),
    pattern_type: fc.constantFrom(...TEXTS),
    name: fc.constantFrom('"é"', ...TEXTS),
    description: fc.constantFrom(...TEXTS),
    context: fc.constantFrom(
      '{"10":1,"2":1.0,"k":1,"k":2}',
      '{"x": NaN}',
      '{"x": [NaN, {"y/~": -Infinity}], "x": 1E5}',
      "NaN",
      "[]",
      "5",
      '{"__proto__": NaN}',
    ),
    code: fc.constantFrom(...TEXTS),
    confidence: fc.constantFrom(...COUNTS),
    usage_count: fc.constantFrom(...COUNTS),
    tags: fc.constantFrom("[]", '["t"]', '["t", NaN]', "[Infinity]", "[1]", "NaN", '"t"', "[[NaN]]"),
    discovered_at: fc.constantFrom(...TIMES),
    last_used: fc.constantFrom(...TIMES),
    mine: fc.constantFrom("NaN", "1.50", '"NaN"'),
  },
  { requiredKeys: [] },
);

const item = (fields: Record<string, string | undefined>): string => {
  const all = { agent_id: '"a"', pattern_type: '"t"', name: '"n"', ...fields };
  return `{${Object.entries(all)
    .flatMap(([name, text]) => (text === undefined ? [] : [`"${name}": ${text}`]))
    .join(",\n  ")}}`;
};

const nearlyAll = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: pattern },
  { weight: 3, arbitrary: pattern.map((fields) => Object.fromEntries(Object.entries(fields).slice(0, 1))) },
);
const items = fc
  .array(fc.tuple(nearlyAll, fc.oneof(fc.constant("own"), fc.constant("own"), fc.constantFrom(...IDS))), {
    maxLength: 6,
  })
  .map((all) => all.map(([fields, id], index) => item({ id: id === "own" ? `"p${index}"` : id, ...fields })));
const contributions = fc.constantFrom(
  undefined,
  "null",
  "NaN",
  "{}",
  '{"a": ["p0", "", 7, "p1" , "p1"], "b": ["p0", null]}',
  '{"": ["p0"], "a\\u0000": ["p1"], "b": NaN}',
  '{"a": [NaN, "p0"], "7": [7], "a": ["p1", -Infinity]}',
  '{"a": 5, "b": "p0"}',
  "[]",
);
const metadata = fc.constantFrom(
  undefined,
  "null",
  "NaN",
  "{}",
  '{"saved_at": 5, "pattern_count": NaN}',
  '{"saved_at": "20250120T150000", "version": "1.0"}',
  "5",
);
const around = fc.constantFrom(undefined, "NaN", '{"mean": [Infinity, 1.0]}');
const documents = fc
  .tuple(
    items,
    contributions,
    metadata,
    around,
    fc.constantFrom("", "\ufeff"),
    fc.boolean(),
    fc.constantFrom(",", ",\r\n", " , "),
  )
  .map(([patterns, agents, meta, stats, mark, early, comma]) => {
    const members = [
      ...(early && agents !== undefined ? [`"agent_contributions":${agents}`] : []),
      `"patterns" : [ ${patterns.join(comma)}\t]`,
      ...(!early && agents !== undefined ? [`"agent_contributions" : ${agents}`] : []),
      ...(meta === undefined ? [] : [`"metadata": ${meta}`]),
      ...(stats === undefined ? [] : [`"stats":${stats}`]),
    ];
    return { text: `${mark}{${members.join(", ")} }\n`, patterns };
  });

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
