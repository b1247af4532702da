import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { checkFile } from "@perdura/conformance";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import {
  type MigrationOptions,
  migrationStatus,
  planMigration,
  downgradeMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { RUNS } from "../properties/runs.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { schemaErrors } from "../support/report_schema.ts";

function loads({ PatternPersistence }: typeof v15 | typeof v16, path: string): number | undefined {
  try {
    return PatternPersistence.loadFromJson(path).size;
  } catch (error) {
    if (isPerduraError(error)) return undefined;
    throw error;
  }
}

/** Text of a pattern with fields in the file's notation. */
const patternText = (fields: Record<string, string>): string =>
  `{${Object.entries({ agent_id: '"a"', pattern_type: '"t"', name: '"n"', ...fields })
    .map(([field, text]) => `"${field}": ${text}`)
    .join(", ")}}`;
const libraryText = (...patterns: Record<string, string>[]): string =>
  `{"patterns": [${patterns.map(patternText).join(",\n")}], "agent_contributions": {"a": []}, "team": {"kept": [1e400, 1.50]}}`;

const fields = fc.record(
  {
    context: fc.constantFrom("{}", '{"a": NaN}', '{"a": [-Infinity], "n": 12345678901234567890}', "[]", "5", '"{}"'),
    tags: fc.constantFrom("[]", '["é"]', "[NaN]", "[1]", '"api"'),
    discovered_at: fc.constantFrom('"2024-03-10T02:30:00+02:00"', '"2024-03-10"', "1710037800.25", '"soon"', "null"),
    last_used: fc.constantFrom('"2024-03-10T02:30:00.123456Z"', '"2024-03-10 02:30:00"', '"0001-01-01T00:00:00+01:00"'),
    usage_count: fc.constantFrom("0", "2.5", "NaN", '"3"', "9007199254740993"),
    agent_id: fc.constantFrom('"a"', '""', "null", '"a\\u0000"'),
    mine: fc.constantFrom('"kept"', "[NaN]"),
  },
  { requiredKeys: [] },
);
const libraries = fc
  .array(fc.tuple(fields, fc.constantFrom("own", "own", "own", '"p"', "5")), { maxLength: 6 })
  .map((patterns) => patterns.map(([given, id], index) => ({ id: id === "own" ? `"p${index}"` : id, ...given })));

const decisions: fc.Arbitrary<MigrationOptions> = fc.record({
  invalidRows: fc.constantFrom("quarantine", "quarantine", "abort"),
  nonFinite: fc.constantFrom(undefined, "null", "text"),
  timestamps: fc.constantFrom(undefined, "drop-zone", "utc"),
});

test("16 reads every library that up migrated; down restores every byte", async () => {
  const outcomes = { migrated: 0, refused: 0, untouched: 0 };
  await fc.assert(
    fc.asyncProperty(libraries, decisions, async (patterns, options) => {
      const folder = freshFolder();
      const path = join(folder, "patterns.json");
      writeFileSync(path, libraryText(...patterns));
      const before = readFileSync(path);
      const wasRead = loads(v16, path);
      expect(loads(v15, path)).toBe(wasRead);
      const report = await migrate(folder, { ...options, saveReport: false });
      expect(schemaErrors(report)).toEqual([]);
      if (wasRead !== undefined || report.exit_code === 3) {
        outcomes[wasRead === undefined ? "refused" : "untouched"] += 1;
        expect(report.exit_code).toBe(wasRead === undefined ? 3 : 0);
        if (wasRead === undefined && options.invalidRows === "quarantine")
          expect(report.databases[0]?.unusual_rows).toContainEqual(
            expect.objectContaining({ kind: "library_non_finite" }),
          );
        expect(readFileSync(path)).toEqual(before);
        expect(readdirSync(folder)).toEqual(["patterns.json"]);
        return;
      }
      expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "migrated", reason: null }] });
      outcomes.migrated += 1;
      expect(readFileSync(`${path}.v15.bak`)).toEqual(before);
      const size = loads(v16, path);
      expect([size, loads(v15, path)]).toEqual([size, JSON.parse(readFileSync(path, "utf8")).patterns.length]);
      expect(readFileSync(path, "utf8")).toContain('"team": {"kept": [1e400, 1.50]}}');
      expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
      expect(await migrate(folder, { ...options, saveReport: false })).toMatchObject({ exit_code: 0, databases: [] });
      expect(await downgradeMigration(folder, { saveReport: false })).toMatchObject({
        exit_code: 0,
        databases: [{ status: "downgraded" }],
      });
      expect(readFileSync(path)).toEqual(before);
      expect(await verifyMigration(folder)).toMatchObject({ exit_code: 1, databases: [{ status: "not_compared" }] });
    }),
    {
      numRuns: 60 * RUNS,
      // Text instead of a number is not a number.
      examples: [[[{ id: '"p0"', usage_count: "NaN" }], { invalidRows: "quarantine", nonFinite: "text" }]],
    },
  );
  for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(0);
});

const FIXTURES = ["invalid", "libraries"].flatMap((folder) =>
  readdirSync(fixture(folder))
    .filter((name) => /\.(?:json|db)$/.test(name) && !name.includes("expected"))
    .map((name) => join(folder, name)),
);

/** Files that are not pattern libraries, in any folder of the fixtures. */
const NO_LIBRARY = new Set([
  "array.json",
  "scalar.json",
  "no-patterns-table.db",
  "columns-missing.db",
  "text.db",
  "zero-byte.db",
]);

describe("plan, both lines and check-file agree", () => {
  test.each(FIXTURES)("about fixtures/%s", async (name) => {
    const path = join(freshFolder(), basename(name));
    writeFileSync(path, readFileSync(fixture(name)));
    const isJson = path.endsWith(".json");
    const readers = [v15, v16].map(({ PatternPersistence }) =>
      isJson ? PatternPersistence.loadFromJson : PatternPersistence.loadFromSqlite,
    );
    const answers = readers.map((read) => {
      try {
        return read(path).size >= 0;
      } catch (error) {
        if (isPerduraError(error)) return false;
        throw error;
      }
    });
    const isRead = answers[0] as boolean;
    const { findings } = checkFile(path);
    const { exit_code: code, left_alone: left } = await planMigration(path);
    expect(answers).toEqual([isRead, isRead]);
    // Readers accept more than the specification describes, and never less; a remark is about a ruling of the readers.
    if (!isRead) expect(findings).not.toEqual([]);
    // A file that is not a library must not be called one.
    const isNone = left.some(({ reason }) => !reason.startsWith("a pattern library"));
    if (isNone || NO_LIBRARY.has(basename(name))) expect(isRead).toBe(false);
    else expect(code).toBe(isRead ? 0 : 3);
  });

  test("about any document", async () => {
    await fc.assert(
      fc.asyncProperty(libraries, async (patterns) => {
        const path = join(freshFolder(), "patterns.json");
        writeFileSync(path, libraryText(...patterns));
        const size = loads(v16, path);
        expect(loads(v15, path)).toBe(size);
        expect((await planMigration(path)).exit_code).toBe(size === undefined ? 3 : 0);
        if (size === undefined) expect(checkFile(path).findings).not.toEqual([]);
      }),
      { numRuns: 60 * RUNS },
    );
  });
});

test("leaves a list of patterns of another program alone", async () => {
  const folder = freshFolder();
  for (const [name, text] of [
    ["ignore.json", '{"patterns": ["*.log", 5]}'],
    ["rules.json", '{"patterns": [{"regex": "NaN", "level": NaN}]}'],
    ["counts.json", '{"patterns": 300, "agent_contributions": {"a": 5}}'],
  ] as const)
    writeFileSync(join(folder, name), text);
  const before = stampOf(folder);
  const { left_alone: left, ...report } = await migrate(folder, { invalidRows: "quarantine", nonFinite: "null" });
  expect(report).toMatchObject({ exit_code: 0, databases: [] });
  expect(left.map(({ reason }) => reason)).toEqual(left.map(() => "not data of perdura"));
  expect(stampOf(folder)).toBe(before);
});

test("notes wrong statements of a library about itself", async () => {
  const path = join(freshFolder(), "patterns.json");
  writeFileSync(
    path,
    `{"patterns": [${patternText({ id: '"x"' })}], "metadata": {"pattern_count": 5}, "patterns": [${patternText({ id: '"y"' })}]}`,
  );
  expect(await planMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [
      {
        status: "nothing_to_do",
        notes: [
          "the key patterns occurs more than once; only the last is read",
          "its pattern_count is 5, but it has 1 pattern",
        ],
      },
    ],
  });
});

test("down restores values in a library that was saved since, and keeps its mode", async () => {
  const folder = freshFolder();
  const path = join(folder, "patterns.json");
  writeFileSync(path, libraryText({ id: '"p"', context: '{"a": NaN}' }));
  chmodSync(path, 0o640);
  expect(await migrate(path, { nonFinite: "text" })).toMatchObject({ exit_code: 0 });
  expect([path, `${path}.v15.bak`].map((each) => statSync(each).mode & 0o777)).toEqual([0o640, 0o640]);
  const library = v16.PatternPersistence.loadFromJson(path);
  expect(library.get("p")?.context).toEqual({ a: "NaN" });
  library.recordUsage("p", "a", true);
  v16.PatternPersistence.saveToJson(library, path);
  const saved = readFileSync(path, "utf8");
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 0, databases: [{ status: "verified" }] });
  expect(await migrationStatus(path)).toMatchObject({
    databases: [{ status: "migrated", backups: [{ path: `${path}.v15.bak` }] }],
  });
  expect(await downgradeMigration(path)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "downgraded", backup: { path: `${path}.v16.bak` } }],
  });
  expect(readFileSync(path, "utf8")).toBe(saved.replace('{\n        "a": "NaN"\n      }', '{"a": NaN}'));
  expect(statSync(path).mode & 0o777).toBe(0o640);
  writeFileSync(path, '{"patterns": [');
  expect(await verifyMigration(path)).toMatchObject({
    exit_code: 4,
    databases: [{ status: "differs", reason: expect.stringContaining(`${path}.v15.bak`) }],
  });
});

test("a rehearsal and an insufficient decision change nothing", async () => {
  const folder = freshFolder();
  writeFileSync(
    join(folder, "patterns.json"),
    libraryText({ id: '"p"', context: '{"a": NaN}' }, { id: '"q"', last_used: '"2024-03-10"' }),
  );
  const before = stampOf(folder);
  expect(await migrate(folder, { nonFinite: "null", timestamps: "utc", rehearse: true })).toMatchObject({
    exit_code: 0,
    databases: [{ status: "rehearsed" }],
  });
  expect(await migrate(folder, { nonFinite: "null" })).toMatchObject({
    exit_code: 3,
    databases: [{ status: "refused", reason: expect.stringContaining("--timestamps drop-zone or utc") }],
  });
  expect(stampOf(folder)).toBe(before);
});
