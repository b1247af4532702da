import { randomBytes } from "node:crypto";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { extractArchivedStates, listArchivedStates, migrationStatus } from "../../src/index.ts";
import { archived, change } from "../support/archived_states.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { runProgram } from "../support/run_program.ts";

test("lists the states of an archive in typed rows, including names that are not UTF-8", async () => {
  const { archive } = await archived();
  const states = [...listArchivedStates(archive)];
  expect(states.map(({ file, status }) => `${file} ${status}`)).toEqual([
    "0 dangling.json broken",
    "J\\xfcrgen.json ok",
    "alice.json ok",
    "bob.json ok",
    "inner-more.json broken",
    "zz link.json broken",
  ]);
  expect(states[1]).toMatchObject({ file_hex: Buffer.from("J\u00fcrgen.json", "latin1").toString("hex") });
  expect(states[2]).toMatchObject({
    file_hex: null,
    user_id: "alice",
    trust_level: 0.5,
    interaction_count: 3,
    current_level: null,
    extra: null,
    reason: null,
  });
  // The archive is closed when the loop is left.
  for (const { file } of listArchivedStates(archive)) if (file !== "") break;
  rmSync(archive);
});

test.each([
  ["text for a number", "UPDATE states SET trust_level = 'high' WHERE file = 'alice.json'", "trust_level"],
  [
    "a number beyond what is exact",
    "UPDATE states SET current_level = 1 << 60 WHERE file = 'alice.json'",
    "current_level",
  ],
  [
    "a row of no file",
    "CREATE TABLE s AS SELECT * FROM states; DROP TABLE states; ALTER TABLE s RENAME TO states; UPDATE states SET file = NULL",
    "a row of the table states has no file name",
  ],
  ["no table of states", "DROP TABLE states", "expected an archive"],
])("listing refuses %s", async (_what, sql, words) => {
  const { archive } = await archived();
  change(archive, sql);
  expect(() => [...listArchivedStates(archive)]).toThrow(
    expect.objectContaining({ name: "CorruptDataError", message: expect.stringContaining(words) }),
  );
});

test.each([
  ["sqlar", "DELETE FROM sqlar WHERE name = 'bob.json'", 6],
  ["entries", "DELETE FROM entries WHERE name = 'bob.json'", 6],
  ["states", "DELETE FROM states WHERE file = 'bob.json'", 5],
])("lists the remaining states if rows of %s are missing, then reports the damage", async (table, sql, left) => {
  const { folder, archive } = await archived();
  change(archive, sql);
  const listed: string[] = [];
  const list = (): void => {
    for (const { file } of listArchivedStates(archive)) listed.push(file);
  };
  expect(list).toThrow(expect.objectContaining({ name: "CorruptDataError", message: expect.stringContaining(table) }));
  expect(listed).toHaveLength(left);
  const { code, stdout, stderr } = await runProgram("states", "--json", archive);
  expect({ code, lines: stdout.trim().split("\n").length }).toEqual({ code: 1, lines: left });
  expect(stderr).toContain("damaged");
  expect(await migrationStatus(folder)).toMatchObject({
    exit_code: 1,
    state_directories: [{ status: "failed", reason: expect.stringContaining("damaged") }],
  });
});

test("refuses a file that is not an archive by its name, and reports a missing file", async () => {
  const folder = freshFolder();
  const path = join(folder, "a.sqlar");
  expect(() => [...listArchivedStates(path)]).toThrow(expect.objectContaining({ name: "FileNotFoundError" }));
  await expect(extractArchivedStates(path, join(folder, "x"))).rejects.toMatchObject({ name: "FileNotFoundError" });
  writeFileSync(path, randomBytes(5000));
  expect(() => [...listArchivedStates(path)]).toThrow(expect.objectContaining({ name: "CorruptDataError" }));
  await expect(extractArchivedStates(path, join(folder, "x"))).rejects.toMatchObject({ name: "CorruptDataError" });
  expect(readdirSync(folder)).toEqual(["a.sqlar"]);
});

test.each([
  ["random bytes as log", "-wal", (): Buffer => randomBytes(5000)],
  ["the archive itself as log", "-wal", (archive: string) => readFileSync(archive)],
  ["random bytes as journal", "-journal", () => randomBytes(5000)],
])("reading leaves %s where it is", async (_what, suffix, make) => {
  const { folder, archive } = await archived();
  writeFileSync(`${archive}${suffix}`, make(archive));
  const before = stampOf(folder);
  expect(() => [...listArchivedStates(archive)]).toThrow(
    expect.objectContaining({
      name: "StorageError",
      message: expect.stringMatching(`\\.sqlar${suffix} is not a (log|journal) of SQLite, .* Nothing was changed\\.`),
    }),
  );
  expect(stampOf(folder)).toEqual(before);
});
