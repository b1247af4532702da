import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { ON_LINUX } from "../../../../test/needs.ts";
import { runProgram } from "../support/run_program.ts";
import { schemaErrors } from "../support/report_schema.ts";

const INVALID_ROW = "(user_id, empathy_level, success) VALUES ('odd', 9, 1)";

test.each([
  ["metrics", FIELD_A.replaceAll("metrics", '"Metrics"').replace("idx_user_level", '"IDX_USER_LEVEL"')],
  ["interactions", DOCUMENTED_15.replace("TABLE interactions", 'TABLE "Interactions"')],
] as const)("names in another case are the same names: %s", async (table, schema) => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, schema);
  addRows(path, table, 9);
  makeDatabase(
    path,
    `CREATE TABLE removed (id); CREATE TRIGGER gone AFTER DELETE ON ${table} BEGIN INSERT INTO removed VALUES (old.id); END; INSERT INTO ${table} ${INVALID_ROW}; INSERT INTO ${table} (user_id, empathy_level, success) VALUES ('last', 1, 1)`,
  );
  const report = await migrate(path, { invalidRows: "quarantine" });
  expect(schemaErrors(report)).toEqual([]);
  expect(report).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { rows_after: 10, rows_quarantined: 1, differences: [] } }],
  });
  expect(query(path, "SELECT count(*) FROM removed")).toEqual([[1n]]);
  expect(query(path, "SELECT name FROM sqlite_schema WHERE name LIKE 'idx_user_level'")).toEqual([]);
  expect(query(path, "SELECT seq FROM sqlite_sequence WHERE name LIKE 'interactions'")).toEqual([[11n]]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test("reuses the quarantine of an earlier run, with any case of its name, and keeps its rows", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    `INSERT INTO interactions ${INVALID_ROW}`,
    "CREATE TABLE Perdura_Quarantine (perdura_source, perdura_reason, id, user_id); INSERT INTO perdura_quarantine VALUES ('interactions', 'old', 1, 'x')",
  );
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT id, user_id FROM perdura_quarantine")).toEqual([
    [1n, "x"],
    [1n, "odd"],
  ]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test("does not change a user's table named like the quarantine if no row is moved to it", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15,
    "CREATE TABLE perdura_quarantine (mine); INSERT INTO perdura_quarantine VALUES (1)",
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect(query(path, "SELECT mine FROM perdura_quarantine")).toEqual([[1n]]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test("renames user columns that are named like those of the quarantine", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    DOCUMENTED_15.replace("CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP, Metadata, perdura_reason, rowid TEXT"),
    `CREATE TABLE interaction_metadata (interaction_id INTEGER PRIMARY KEY, metadata TEXT NOT NULL);
    INSERT INTO interactions (user_id, empathy_level, success, metadata, perdura_reason, rowid) VALUES ('odd', 9, 1, 'mine', 'own', 'r');
    INSERT INTO interaction_metadata VALUES (1, '{}')`,
  );
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { rows_quarantined: 1, metadata_rows: 1 } }],
  });
  expect(
    query(path, "SELECT metadata, perdura_reason, rowid, metadata_2, perdura_reason_2 FROM perdura_quarantine"),
  ).toEqual([["mine", "own", "r", "{}", "the level is outside 1 to 5"]]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test("accepts an index that inherits its collation from the column, also in a second run", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, FIELD_A.replace("user_id TEXT NOT NULL", "user_id TEXT NOT NULL COLLATE NOCASE"));
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "migrated" }] });
  expect(await migrate(path)).toMatchObject({ exit_code: 0, databases: [{ status: "nothing_to_do" }] });
});

test("moves numeric metadata to quarantine as a number", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    FIELD_A.replace("metadata TEXT", "metadata JSON"),
    "INSERT INTO metrics (user_id, empathy_level, success, metadata) VALUES ('a', 1, 1, 5), ('a', 1, 1, '{}')",
  );
  expect(await migrate(path, { invalidRows: "quarantine" })).toMatchObject({
    exit_code: 0,
    databases: [{ verification: { rows_quarantined: 1, metadata_rows: 2 } }],
  });
  expect(query(path, "SELECT metadata FROM perdura_quarantine")).toEqual([[5n]]);
  expect((await verifyMigration(path)).exit_code).toBe(0);
});

test("keeps a partial, unique or descending index with an old name", async () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(
    path,
    FIELD_A,
    "DROP INDEX idx_timestamp; CREATE INDEX idx_timestamp ON metrics(timestamp) WHERE success; DROP INDEX idx_user_level; CREATE UNIQUE INDEX idx_user_level ON metrics(user_id, empathy_level, id); CREATE INDEX idx_user ON metrics(user_id DESC)",
  );
  expect(await migrate(path)).toMatchObject({ exit_code: 0 });
  expect(
    query(path, "SELECT name FROM sqlite_schema WHERE type = 'index' AND name NOT LIKE 'idx_interactions%' ORDER BY 1"),
  ).toEqual([["idx_timestamp"], ["idx_user"], ["idx_user_level"]]);
});

test("names that are not UTF-8 do not stop a run, and are to be renamed", ON_LINUX, async () => {
  const folder = freshFolder();
  makeDatabase(join(folder, "ok.db"), FIELD_A);
  makeDatabase(join(folder, "inner.db"), FIELD_A);
  const [directory, file, link] = [0xff, 0xfe, 0xfd].map((byte) =>
    Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([byte])]),
  ) as [Buffer, Buffer, Buffer];
  mkdirSync(directory);
  renameSync(join(folder, "inner.db"), Buffer.concat([directory, Buffer.from("/m.db")]));
  makeDatabase(join(folder, "named.db"), FIELD_A);
  renameSync(join(folder, "named.db"), file);
  symlinkSync("ok.db", link);
  const report = await migrate(folder);
  expect(report).toMatchObject({ exit_code: 0, refused: [], databases: [{ status: "migrated" }] });
  const left = report.left_alone.filter(({ reason }) => /is not valid UTF-8.* rename it/.test(reason));
  expect(left.map(({ path }) => path).toSorted()).toEqual(["fd", "fe", "ff"].map((hex) => `${folder}/x\\x${hex}`));
  await expect(planMigration(join(folder, "x\ufffd"))).rejects.toThrow(/not valid UTF-8.* rename that file/);
});

test("a target in another composition of Unicode is missing, and the reason is named", ON_LINUX, async () => {
  const folder = freshFolder();
  makeDatabase(join(folder, "Ame\u0301lie.db"), FIELD_A);
  const { code, stderr } = await runProgram("plan", join(folder, "Am\u00e9lie.db"));
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("composed differently in Unicode") });
  expect((await runProgram("plan", join(folder, "Amelie.db"))).stderr).not.toContain("Unicode");
});

/** Commands that search a target for data. */
const SEARCHING = [
  ["plan"],
  ["up", "--yes"],
  ["verify"],
  ["status"],
  ["down", "--yes"],
  ["prune", "--yes"],
  ["sums"],
  ["forget", "--yes", "--user", "alice"],
];

test.each(SEARCHING)("%s refuses a name that no file can have", async (command, ...words) => {
  const name = "x".repeat(300);
  const { code, stderr } = await runProgram(command as string, join(freshFolder(), name), ...words);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^perdura-migrate: .*reading failed: ENAMETOOLONG/m);
  expect(stderr).not.toContain("    at ");
});
