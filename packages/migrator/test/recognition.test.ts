import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type LegacyAnswers, readMarked } from "../../../fixtures/expected.ts";
import { fixture } from "../../../fixtures/paths.ts";
import { planMigration } from "../src/index.ts";
import { freshFolder } from "./folder.ts";
import { schemaErrors } from "./report_schema.ts";

const names = readdirSync(fixture("legacy"))
  .filter((name) => name.endsWith(".db") && name !== "zero-byte.db")
  .map((name) => name.slice(0, -3));

/** What `up` makes of each layout. */
const STATUS: Record<string, string> = {
  "field-a": "planned",
  "combined-a": "planned",
  "documented-15": "planned",
  "field-patterns": "planned",
  foreign: "left_alone",
};

/** Copies a database of the fixtures, with the log beside it where there is one. */
function copyOf(name: string): string {
  const path = join(freshFolder(), `${name}.db`);
  for (const suffix of ["", "-wal"]) {
    if (existsSync(`${fixture("legacy", `${name}.db`)}${suffix}`))
      copyFileSync(`${fixture("legacy", `${name}.db`)}${suffix}`, `${path}${suffix}`);
  }
  return path;
}

describe.each(names)("%s", (name) => {
  const expected = readMarked("legacy", `${name}.expected.json`) as LegacyAnswers;

  test("is recognised, and its rows and odd rows are counted", async () => {
    const report = await planMigration(copyOf(name), { invalidRows: "quarantine" });
    expect(schemaErrors(report)).toEqual([]);
    const [database] = report.databases;
    expect(database?.layout).toBe(expected.layout === "field-patterns" ? "patterns" : expected.layout);
    const unparsable = name.includes("unparsable");
    expect(database?.status).toBe(unparsable ? "refused" : (STATUS[expected.layout] ?? "refused"));
    for (const { table, row_count: rows } of expected.metrics_tables)
      expect(database?.tables).toContainEqual({ table, rows });
    if (database?.status !== "planned") return;
    const odd = Object.fromEntries(database.odd_rows.map(({ kind, row_ids: ids }) => [kind, ids.map(Number)]));
    const { user_id_not_utf8: _undetected, ...stated } = expected.metrics_tables[0]?.odd_rows ?? {};
    expect(odd).toMatchObject(Object.fromEntries(Object.entries(stated).map(([kind, ids]) => [kind, ids.slice(0, 5)])));
  });
});

test("a broken view of the user is named, and nothing is tried", async () => {
  const { exit_code, databases } = await planMigration(copyOf("field-a-unparsable-views"));
  expect(exit_code).toBe(3);
  expect(databases[0]?.reason).toContain("my_broken");
});

test("rows that version 16 cannot hold need a decision", async () => {
  const { exit_code, databases } = await planMigration(copyOf("field-a-odd"));
  expect(exit_code).toBe(3);
  expect(databases[0]?.reason).toContain("--invalid-rows quarantine");
  expect(databases[0]?.odd_rows.find(({ kind }) => kind === "level_out_of_range")).toMatchObject({
    rows: 5,
    blocks: true,
    row_ids: ["7", "8", "9", "12", "30"],
  });
});

test("a file of zero bytes is left alone", async () => {
  const path = join(freshFolder(), "metrics.db");
  copyFileSync(fixture("legacy", "zero-byte.db"), path);
  const { exit_code, left_alone: leftAlone } = await planMigration(path);
  expect({ exit_code, leftAlone }).toEqual({
    exit_code: 0,
    leftAlone: [{ path, reason: "an empty file (zero bytes): no data" }],
  });
});
