import { join } from "node:path";
import Sqlite from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { json } from "./json_schema.ts";
import { runProgram } from "./run_program.ts";

interface Row {
  user_id: string;
  level: number;
  success: number;
  response_time_ms: number | null;
  timestamp: string;
  metadata: string | null;
}

/** One value of a row, and another one. */
const VALUES: { [Name in keyof Row]: [Row[Name], Row[Name]] } = {
  user_id: ["alice", "Alice"],
  level: [3, 4],
  success: [1, 0],
  response_time_ms: [12, null],
  timestamp: ["2026-01-05 10:00:00", "2026-01-05 10:00:01"],
  metadata: ['{"tool":"x"}', null],
};

const COLUMNS = Object.keys(VALUES) as (keyof Row)[];

/** Names of the columns in the result. */
const SHOWN: Partial<Record<keyof Row, string>> = { user_id: "user", response_time_ms: "response time" };

const anyRow: fc.Arbitrary<Row> = fc.record(
  Object.fromEntries(COLUMNS.map((name) => [name, fc.constantFrom<unknown>(...VALUES[name])])) as unknown as {
    [Name in keyof Row]: fc.Arbitrary<Row[Name]>;
  },
);

/** Layouts with a column for metadata, or a side table. */
const LAYOUTS = {
  "documented-16": { table: "interactions", level: "level", side: true },
  "documented-15": { table: "interactions", level: "empathy_level", side: true },
  "documented-15 without metadata": { table: "interactions", level: "empathy_level", side: false },
  "field A": { table: "metrics", level: "empathy_level", side: false },
} as const;

type Layout = keyof typeof LAYOUTS;

function write(path: string, layout: Layout, rows: ReadonlyMap<number, Row>): void {
  const { table, level, side } = LAYOUTS[layout];
  const inRow = table === "metrics";
  const database = new Sqlite(path);
  database.exec(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, ${level} INTEGER NOT NULL,
    success BOOLEAN NOT NULL, response_time_ms REAL, ${inRow ? "metadata TEXT, " : ""}timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP)`);
  if (side)
    database.exec("CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY, metadata TEXT NOT NULL)");
  for (const [id, { metadata, ...row }] of rows) {
    database
      .prepare(
        `INSERT INTO ${table} (id, user_id, ${level}, success, response_time_ms, timestamp) VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(id, ...Object.values(row));
    if (inRow) database.prepare("UPDATE metrics SET metadata = ? WHERE id = ?").run(metadata, id);
    else if (side && metadata !== null)
      database.prepare("INSERT INTO interaction_metadata VALUES (?, ?)").run(id, metadata);
  }
  database.close();
}

/** The row as a layout without metadata stores it. */
const stored = (layout: Layout, row: Row): Row =>
  layout === "documented-15 without metadata" ? { ...row, metadata: null } : row;

const anyLayout = fc.constantFrom(...(Object.keys(LAYOUTS) as Layout[]));

const anyChange = fc.oneof(
  { weight: 2, arbitrary: fc.constant("same" as const) },
  fc.constant("missing" as const),
  fc.constant("added" as const),
  fc.subarray(COLUMNS, { minLength: 1 }),
);

test("exactly the rows that differ are named, in all layouts", async () => {
  await fc.assert(
    fc.asyncProperty(
      // At most as many of each kind as are named.
      fc.array(fc.tuple(anyRow, anyChange), { minLength: 1, maxLength: 20 }),
      anyLayout,
      anyLayout,
      async (changes, layout, other) => {
        const [before, after] = [new Map<number, Row>(), new Map<number, Row>()];
        const expected: string[] = [];
        for (const [index, [row, kind]] of changes.entries()) {
          const id = 3 * index + 1;
          const changed = { ...row };
          if (Array.isArray(kind))
            for (const name of kind)
              Object.assign(changed, { [name]: VALUES[name].find((value) => value !== row[name]) ?? null });
          if (kind !== "added") before.set(id, row);
          if (kind !== "missing") after.set(id, changed);
          const [left, right] = [stored(layout, row), stored(other, changed)];
          const different = COLUMNS.filter((name) => left[name] !== right[name]).map((name) => SHOWN[name] ?? name);
          if (kind === "missing" || kind === "added") expected.push(`${kind} row ${id}`);
          else if (different.length > 0) expected.push(`changed row ${id}: other ${different.join(", ")}`);
        }
        const [folder, second] = [freshFolder(), freshFolder()];
        write(join(folder, "metrics.db"), layout, before);
        write(join(second, "metrics.db"), other, after);
        const ended = await runProgram(["compare", folder, second, "--json"]);
        if (before.size === 0) {
          expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("found nothing to compare in")]);
          return;
        }
        const { compared, facts } = json(ended) as unknown as {
          compared: unknown[];
          facts: { fact: string; after: string; result: string }[];
        };
        const named = facts
          .filter(({ fact }) => fact.startsWith("row "))
          .map(({ fact, after: now, result }) => `${result} ${fact}${result === "changed" ? `: ${now}` : ""}`);
        expect(named.toSorted()).toEqual(expected.toSorted());
        const count = (kind: string): number => expected.filter((name) => name.startsWith(kind)).length;
        const [missing, changed, added] = ["missing", "changed", "added"].map(count);
        expect(compared).toEqual([
          expect.objectContaining({ item: "row", before: before.size, missing, changed, added }),
        ]);
        expect(ended.code).toBe(count("missing") + count("changed") === 0 ? 0 : 4);
      },
    ),
    { numRuns: 60 },
  );
});
