import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { runProgram } from "../support/run_program.ts";

/** Names that are dangerous in SQL, in a shell or on a terminal. */
const NAMES = [
  `a"b'c`,
  "two\nlines\r\n",
  "\u001b[31mred\u001b[0m\u0007",
  "\u202egnirts",
  "👩‍💻 😀",
  "[x]",
  "`x`",
  "-- comment",
  "/* comment",
  "x'); DROP TABLE interactions; --",
  "$(touch x) %s \\",
  "select",
  " ",
  "e\u0301",
  "level2",
];

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Adds a table with a column, an index, a trigger and a view for every name, and a column of the metrics table. */
function addObjects(path: string, table: string): void {
  const statements = NAMES.map(quoted).flatMap((name) => {
    const [other, index, trigger, view] = ["t", "i", "r", "v"].map((kind) => `${name.slice(0, -1)}${kind}"`);
    return [
      `ALTER TABLE ${table} ADD COLUMN ${name} DEFAULT 'x'`,
      `CREATE TABLE ${other} (${name} TEXT, empathy_level)`,
      `INSERT INTO ${other} VALUES ('y', 1)`,
      `CREATE INDEX ${index} ON ${table}(${name})`,
      `CREATE TRIGGER ${trigger} AFTER INSERT ON ${table} BEGIN INSERT INTO ${other} VALUES (NEW.${name}, NEW.empathy_level); END`,
      `CREATE VIEW ${view} AS SELECT ${name}, empathy_level FROM ${table}`,
    ];
  });
  makeDatabase(path, ...statements);
}

const named = (path: string): unknown[] =>
  query(path, "SELECT name FROM sqlite_schema WHERE type <> 'index' OR sql IS NOT NULL").flat();

test.each([
  ["interactions", DOCUMENTED_15],
  ["metrics", FIELD_A],
] as const)("names of every kind survive in a database with %s, there and back", async (table, schema) => {
  const folder = join(freshFolder(), NAMES[1] as string, NAMES[0] as string);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${NAMES[2]}${NAMES[4]}.db`);
  makeDatabase(path, schema);
  addRows(path, table, 3);
  addObjects(path, table);
  const before = named(path);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  const after = new Set(named(path));
  const gone = before.filter(
    (name) => !after.has(name) && !/^(?:metrics|idx_user_level|idx_timestamp)$/.test(String(name)),
  );
  expect(gone).toEqual([]);
  makeDatabase(path, "INSERT INTO interactions (user_id, level, success) VALUES ('new', 4, 1)");
  for (const name of NAMES) {
    expect(query(path, `SELECT count(*) FROM ${quoted(`${name}t`)}`)).toEqual([[2n]]);
    expect(query(path, `SELECT level FROM ${quoted(`${name}v`)} WHERE level = 4`)).toContainEqual([4n]);
  }
  expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0 });
  expect(await downgradeMigration(folder)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
  expect(new Set(named(path))).toEqual(new Set(before));
});

test("prints no terminal control sequences", async () => {
  const folder = join(freshFolder(), NAMES[2] as string);
  mkdirSync(folder);
  const path = join(folder, `${NAMES[2]}.db`);
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 3);
  addObjects(path, "metrics");
  for (const command of ["plan", "up", "verify", "status", "down"]) {
    const { stdout, stderr } = await runProgram(command, folder);
    expect(stdout).toContain("\\u001b[31mred");
    // oxlint-disable-next-line no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
  }
});
