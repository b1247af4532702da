import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { asOnPlatform } from "../../../../test/as_on_platform.ts";
import { extractArchivedStates, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { archived, change } from "../support/archived_states.ts";
import { damage } from "../support/damaged_database.ts";
import { freshFolder } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { stateText } from "../../../../test/legacy/unusual_states.ts";
import { canMount } from "../../../../test/mounts.ts";
import { smallDisk } from "../support/small_disk.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";
import { needs, ON_POSIX } from "../../../../test/needs.ts";

test.each(["new", "empty"])(
  "extracts an archive into a %s directory unchanged, except for set-user-id bits",
  async (kind) => {
    const { folder, directory, archive } = await archived();
    const target = join(folder, "looked at");
    if (kind === "empty") mkdirSync(target);
    expect(await extractArchivedStates(archive, target)).toEqual({ directory: target, entries: 10, inexact_times: 0 });
    const setId = /^(inner\/notes\.txt )104751/m;
    expect(treeStamp(directory)).toMatch(setId);
    expect(treeStamp(target)).toBe(treeStamp(directory).replace(setId, "$1100751"));
  },
);

test("extracts into the empty directory to which a link points", ON_POSIX, async () => {
  const { folder, archive } = await archived();
  const [place, link] = [join(folder, "place"), join(folder, "link")];
  mkdirSync(place);
  symlinkSync(place, link);
  expect(await extractArchivedStates(archive, link)).toMatchObject({ directory: place, entries: 10 });
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

test.each(["new", "empty"])("extracts into a %s directory on Windows, where no directory is replaced", async (kind) => {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  mkdirSync(directory);
  writeFileSync(join(directory, "alice.json"), stateText("alice"));
  await migrate(directory);
  const target = join(folder, "looked at");
  if (kind === "empty") mkdirSync(target);
  asOnPlatform("win32");
  expect(await extractArchivedStates(`${directory}.v15.sqlar`, target)).toMatchObject({ entries: 1 });
  expect(readdirSync(target)).toEqual(["alice.json"]);
});

describe("extraction", () => {
  test.each([
    ["a directory that is not empty", (target: string) => mkdirSync(join(target, "x"), { recursive: true })],
    ["a file", (target: string) => writeFileSync(target, "")],
    ["a directory without a parent", (target: string) => rmSync(join(target, ".."), { recursive: true })],
  ])("refuses %s", async (_what, put) => {
    const { archive } = await archived();
    const target = join(freshFolder(), "target");
    put(target);
    await expect(extractArchivedStates(archive, target)).rejects.toMatchObject({
      name: "ValidationError",
      message: expect.stringContaining("Nothing was written"),
    });
  });

  test.each([
    ["an absolute name", "/tmp/evil.json"],
    ["a name with .. at the beginning", "../evil.json"],
    ["a name with .. in the middle", "inner/../../evil.json"],
    ["a name with .", "inner/./evil.json"],
    ["a name that ends with a slash", "inner/"],
    ["an empty name", ""],
    ["a name below a link", "to inner/evil.json"],
    ["a name below a file", "alice.json/evil.json"],
    ["a name without a parent", "nothing/evil.json"],
    ["a name with a NUL", "evil\0.json"],
  ])("refuses %s, and writes nothing", async (_what, name) => {
    const { folder, archive } = await archived();
    const bytes = Buffer.from(name).toString("hex");
    change(
      archive,
      `UPDATE sqlar SET name = CAST(x'${bytes}' AS TEXT) WHERE name = 'bob.json';
      UPDATE entries SET name = CAST(x'${bytes}' AS TEXT) WHERE name = 'bob.json';
      DELETE FROM states WHERE file = 'bob.json'`,
    );
    const before = treeStamp(folder);
    await expect(extractArchivedStates(archive, join(folder, "x"))).rejects.toMatchObject({
      name: "CorruptDataError",
      message: expect.stringMatching(/Cannot extract the entry ".*Nothing was written/),
    });
    expect(treeStamp(folder).replace(/^ .*\n/, "")).toBe(before.replace(/^ .*\n/, ""));
    expect(existsSync("/tmp/evil.json")).toBe(false);
  });

  test.each([
    ["a mode of another kind", "UPDATE sqlar SET mode = 16877 WHERE name = 'bob.json'"],
    ["a mode that is not a number", "UPDATE sqlar SET mode = 'x' WHERE name = 'bob.json'"],
    ["a time that is not a number", "UPDATE entries SET mtime_ns = 'x'; UPDATE sqlar SET mtime = 0 WHERE mtime <> -1"],
    ["an owner that is not a number", "UPDATE entries SET uid = 'x' WHERE name = 'bob.json'"],
    ["a time of the directory that is not a number", "UPDATE directory SET mtime_ns = 'x'"],
    ["a mode of the directory that is not a number", "UPDATE directory SET mode = 'x'"],
    ["a mode of the directory that is not a directory's", "UPDATE directory SET mode = 33188"],
    ["a link to nothing", "UPDATE sqlar SET data = x'', sz = 0 WHERE name = 'zz link.json'"],
    ["changed content", "UPDATE sqlar SET data = x'00', sz = 1 WHERE name = 'bob.json'"],
    ["a file without a row in sqlar", "DELETE FROM sqlar WHERE name = 'bob.json'"],
    ["a file without a row in entries", "DELETE FROM entries WHERE name = 'bob.json'"],
    ["a state without a row", "DELETE FROM states WHERE file = 'bob.json'"],
    ["an archive without a row", "DELETE FROM sqlar"],
    ["a content that cannot be inflated", "UPDATE sqlar SET sz = sz + 1 WHERE name = 'bob.json'"],
  ])("refuses %s", async (_what, sql) => {
    const { folder, archive } = await archived();
    change(archive, sql);
    await expect(extractArchivedStates(archive, join(folder, "x"))).rejects.toMatchObject({ name: "CorruptDataError" });
    expect(readdirSync(folder).toSorted()).toEqual([
      "empathy_state",
      "empathy_state.v15.sqlar",
      "perdura-migration-report.json",
    ]);
  });
});

test("does not inflate a file beyond its stored size", async () => {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  mkdirSync(directory);
  writeFileSync(join(directory, "a.json"), stateText("a"));
  writeFileSync(join(directory, "big.txt"), Buffer.alloc(8 << 20));
  await migrate(directory);
  const archive = `${directory}.v15.sqlar`;
  expect(statSync(archive).size).toBeLessThan(1 << 20);
  change(archive, "UPDATE sqlar SET sz = 10 WHERE name = 'big.txt'");
  await expect(extractArchivedStates(archive, join(folder, "x"))).rejects.toMatchObject({ name: "CorruptDataError" });
});

test.each([
  [
    "more than there is room for",
    "UPDATE sqlar SET sz = 1 << 60 WHERE name = 'bob.json'",
    /are free. Nothing was written/,
  ],
  [
    "contents that are computed",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'data BLOB', 'data BLOB AS (zeroblob(9))') WHERE name = 'sqlar'",
    /expected an archive/,
  ],
  [
    "a view in the place of a table",
    "DROP TABLE states; CREATE VIEW states AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS file FROM n",
    /expected an archive/,
  ],
])("refuses an archive with %s", async (_what, sql, reason) => {
  const { folder, archive } = await archived();
  const database = connect(archive);
  database.unsafeMode(true);
  database.exec(sql);
  database.close();
  const before = readdirSync(folder).toSorted();
  await expect(extractArchivedStates(archive, join(folder, "x"))).rejects.toThrow(reason);
  expect(readdirSync(folder).toSorted()).toEqual(before);
});

test("names an archive that is truncated, not the target directory", async () => {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  mkdirSync(directory);
  writeFileSync(join(directory, "large.json"), randomBytes(400_000));
  expect(await migrate(directory)).toMatchObject({ exit_code: 0 });
  const archive = `${directory}.v15.sqlar`;
  breakChain(archive);
  const target = join(folder, "x");
  await expect(extractArchivedStates(archive, target)).rejects.toMatchObject({
    name: "CorruptDataError",
    path: archive,
    message: expect.stringContaining(`${archive}: the database is damaged`),
  });
  expect(readdirSync(folder).toSorted()).toEqual([
    "empathy_state",
    "empathy_state.v15.sqlar",
    "perdura-migration-report.json",
  ]);
});

test("a place without room for so many files is named, not the archive", needs("mount", !canMount()), async () => {
  const directory = join(freshFolder(), "empathy_state");
  mkdirSync(directory);
  for (let user = 0; user < 400; user += 1) writeFileSync(join(directory, `u${user}.json`), stateText(`u${user}`));
  await migrate(directory);
  // Each of them takes a page of this disk.
  const disk = smallDisk(1);
  await expect(extractArchivedStates(`${directory}.v15.sqlar`, join(disk, "x"))).rejects.toMatchObject({
    name: "StorageError",
    message: expect.stringMatching(/x: extracting to failed: ENOSPC/),
  });
  expect(readdirSync(disk)).toEqual([]);
});

test("a truncated older archive is a difference, and the comparison continues", async () => {
  const directory = join(freshFolder(), "empathy_state");
  mkdirSync(directory);
  writeFileSync(join(directory, "large.json"), randomBytes(400_000));
  await migrate(directory);
  writeFileSync(join(directory, "new.json"), stateText("new"));
  await migrate(directory);
  const older = `${directory}.v15.sqlar`;
  truncateSync(older, 8192);
  expect(await verifyMigration(directory)).toMatchObject({
    exit_code: 4,
    state_directories: [{ status: "differs", differences: [expect.stringContaining(older)] }],
  });
});

/** Breaks a chain of overflow pages, each of which begins with the number of the next one. */
function breakChain(archive: string): void {
  damage(archive, (bytes) => {
    const size = bytes.readUInt16BE(16) === 1 ? 65_536 : bytes.readUInt16BE(16);
    const pages = Array.from({ length: bytes.length / size }, (_, index) => index + 1);
    const links = pages.filter((page) => bytes.readUInt32BE((page - 1) * size) === page + 1);
    bytes.writeUInt32BE(0xfffffffe, ((links.at(links.length >> 1) as number) - 1) * size);
  });
}
