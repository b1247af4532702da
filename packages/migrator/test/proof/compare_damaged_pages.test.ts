import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { FileProcess } from "../../src/io/child/workers.ts";
import type { PageFinding } from "../../src/io/pages/compare_pages.ts";
import { database, schemaPages } from "./paged_database.ts";

// The comparison reads SQLite's files without SQLite: it must conclude nothing from data that violates the file format.

const files = new FileProcess();
afterAll(() => files.close());

/** Writes 32 bits into a file, or returns those that it has. */
function word(path: string, offset: number, value?: number): number {
  const bytes = readFileSync(path);
  if (value !== undefined) {
    bytes.writeUInt32BE(value, offset);
    writeFileSync(path, bytes);
  }
  return bytes.readUInt32BE(offset);
}

/** Finding for a transaction that changes no row, with a damaged copy. */
async function findingWithSpoilt(spoil: (copy: string) => void): Promise<PageFinding> {
  const { path, copy, connection } = database();
  const schema = schemaPages(copy);
  spoil(copy);
  connection.exec("BEGIN IMMEDIATE; PRAGMA user_version = 1");
  try {
    return await files.pages(path, copy, schema);
  } finally {
    connection.close();
  }
}

/** Offset of the first trunk page of the free list in a copy. */
const trunkOf = (copy: string): number => (word(copy, 32) - 1) * 512;

test.each<[string, (copy: string) => void]>([
  ["ends with fewer pages than the header says", (copy) => word(copy, 36, word(copy, 36) + 1)],
  ["has a trunk that names more than a page has room for", (copy) => word(copy, trunkOf(copy) + 4, 0xffffffff)],
  ["has a trunk that names one more than a page has room for", (copy) => word(copy, trunkOf(copy) + 4, 127)],
  [
    "has a trunk that is full of pages, and names one more",
    (copy) => {
      const trunk = word(copy, 32);
      const others = Array.from({ length: 200 }, (_, index) => index + 2).filter((page) => page !== trunk);
      for (let leaf = 0; leaf < 126; leaf += 1) word(copy, trunkOf(copy) + 8 + leaf * 4, others[leaf]);
      word(copy, trunkOf(copy) + 4, 127);
    },
  ],
  ["names a page twice", (copy) => word(copy, trunkOf(copy) + 8, word(copy, trunkOf(copy) + 12))],
  ["names page 0", (copy) => word(copy, trunkOf(copy) + 8, 0)],
  ["names page 1", (copy) => word(copy, trunkOf(copy) + 8, 1)],
  ["names a page that the file does not have", (copy) => word(copy, trunkOf(copy) + 8, statSync(copy).size / 512 + 1)],
  ["begins with a page that the file does not have", (copy) => word(copy, 32, statSync(copy).size / 512 + 1)],
  ["goes round", (copy) => word(copy, trunkOf(copy), word(copy, 32))],
])("nothing is said where the list of free pages %s", async (_what, spoil) =>
  expect(await findingWithSpoilt(spoil)).toEqual({
    equal: null,
    reason: "pages cannot be compared: unreadable list of free pages",
  }),
);

/** Offset of the first record of a journal: the header fills a sector. */
const firstRecord = (journal: string): number => word(journal, 20);

test.each<[string, (journal: string) => void]>([
  ["ends in its header", (journal) => truncateSync(journal, 27)],
  ["begins otherwise", (journal) => word(journal, 0, 0xd9d505f8)],
  ["is one of a database of another size", (journal) => word(journal, 16, word(journal, 16) + 1)],
  ["is one of pages of another size", (journal) => word(journal, 24, 1024)],
  ["has sectors of no size", (journal) => word(journal, 20, 0)],
  ["has sectors of an odd size", (journal) => word(journal, 20, 768)],
  ["has sectors that are too small", (journal) => word(journal, 20, 256)],
  ["has sectors that are too large", (journal) => word(journal, 20, 131_072)],
  ["has bytes after its last record", (journal) => writeFileSync(journal, "x", { flag: "a" })],
  ["ends in a record", (journal) => (word(journal, 8, 1), truncateSync(journal, firstRecord(journal) + 100))],
  ["names page 0", (journal) => word(journal, firstRecord(journal), 0)],
  [
    "names a page that the database did not have",
    (journal) => word(journal, firstRecord(journal), word(journal, 16) + 1),
  ],
])("nothing is said where the journal %s", async (_what, spoil) => {
  const subject = database();
  subject.connection.exec("BEGIN IMMEDIATE; PRAGMA user_version = 1; CREATE TABLE c (x)");
  const asked = (): Promise<PageFinding> => files.pages(subject.path, subject.copy, schemaPages(subject.copy));
  expect(await asked()).toEqual({ equal: true, reason: null });
  spoil(`${subject.path}-journal`);
  expect(await asked()).toEqual({ equal: null, reason: "pages cannot be compared: unexpected content of the journal" });
  // Not closed: SQLite would roll the transaction back with this journal.
});

test("finds with the journal a page of the copy that differs from the former one", async () => {
  const subject = database();
  subject.connection.exec("BEGIN IMMEDIATE; PRAGMA user_version = 1");
  const journal = `${subject.path}-journal`;
  word(journal, firstRecord(journal) + 4 + 508, 0x01020304);
  expect(await files.pages(subject.path, subject.copy, schemaPages(subject.copy))).toEqual({
    equal: false,
    reason: "page 1 of the database differs from the copy",
  });
});

test.each([
  ["a database with a write-ahead log", (copy: string): void => writeBytes(copy, 18, [2, 2])],
  ["one that only readers take for one with a rollback journal", (copy: string): void => writeBytes(copy, 18, [2, 1])],
  ["one that only writers take for one", (copy: string): void => writeBytes(copy, 18, [1, 2])],
  ["one whose pages move at a commit", (copy: string): void => writeBytes(copy, 52, [0, 0, 0, 3])],
])("nothing is said of %s", async (_what, spoil) =>
  expect(await findingWithSpoilt(spoil)).toEqual({
    equal: null,
    reason: "pages cannot be compared: unsupported kind of database",
  }),
);

function writeBytes(path: string, offset: number, values: number[]): void {
  const bytes = readFileSync(path);
  bytes.set(values, offset);
  writeFileSync(path, bytes);
}
