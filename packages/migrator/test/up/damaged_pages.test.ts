import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { damage, makeManyPages, type Pages } from "../support/damaged_database.ts";
import { freshFolder, stampOf } from "../support/folder.ts";

/** Fills the middle of a page with invalid bytes. */
const spoil =
  (part: Exclude<keyof Pages, "size">, which = 0) =>
  (bytes: Buffer, pages: Pages): void => {
    const start = ((pages[part][which] as number) - 1) * pages.size;
    bytes.fill(0xff, start + (start === 0 ? 100 : 0), start + pages.size);
  };

/** Damage that SQLite detects during its work. */
const FOUND: [what: string, change: (bytes: Buffer, pages: Pages) => Buffer | void][] = [
  ["the page size", (bytes) => void bytes.writeUInt16BE(513, 16)],
  ["the format numbers", (bytes) => void bytes.fill(0xff, 18, 24)],
  ["the schema page", spoil("schema", 1)],
  ["the first page", spoil("schema")],
  ["an interior page", spoil("interior")],
  ["the first leaf page", spoil("leaf")],
  ["the last leaf page", (bytes, pages) => spoil("leaf", pages.leaf.length - 1)(bytes, pages)],
  ["an index page", spoil("index", 1)],
  ["an overflow page", (bytes, pages) => void bytes.writeUInt32BE(0xffff, ((pages.overflow[0] as number) - 1) * 512)],
  ["the list of free pages", spoil("freeTrunk")],
  ["the second half, which is missing", (bytes) => bytes.subarray(0, 512 * Math.floor(bytes.length / 1024))],
  // The file may contain copies of it that SQLite no longer uses.
  [
    "the text of the schema",
    (bytes) => Buffer.from(bytes.toString("latin1").replaceAll("CREATE TABLE", "CREATE TABEL"), "latin1"),
  ],
];

test.each(FOUND)("names a database with damage in %s and does not change it", async (_what, change) => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  const pages = makeManyPages(path);
  damage(path, (bytes) => change(bytes, pages));
  const before = stampOf(folder);
  for (const command of [planMigration, migrate]) {
    const report = await command(folder);
    expect(report).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
    expect(report.databases[0]?.reason).toMatch(/damaged|malformed|not an SQLite database|not a database/);
    expect(stampOf(folder)).toBe(before);
  }
});

test.each(FOUND)("changes nothing if damage in %s occurs after the plan", async (_what, change) => {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  const pages = makeManyPages(path);
  let before = "";
  const report = await migrate(path, {
    onProgress: ({ stage }) => {
      if (stage !== "lock" || before !== "") return;
      damage(path, (bytes) => change(bytes, pages));
      before = stampOf(folder);
    },
  });
  expect([1, 3]).toContain(report.exit_code);
  expect(report.databases[0]?.reason).toMatch(/damaged|malformed|not an SQLite database|not a database|unable to open/);
  expect(stampOf(folder).replace(/\nm\.db\.v15\.bak .*/, "")).toBe(before);
});

test.each([
  ["zero bytes", ""],
  ["text", "not a database, whatever its name says"],
])("leaves a file of %s alone, with a reason", async (_what, content) => {
  const folder = freshFolder();
  writeFileSync(join(folder, "m.db"), content);
  const before = stampOf(folder);
  for (const command of [planMigration, migrate])
    expect(await command(folder)).toMatchObject({
      exit_code: 0,
      databases: [],
      left_alone: [{ path: join(folder, "m.db") }],
    });
  expect(stampOf(folder)).toBe(before);
});
