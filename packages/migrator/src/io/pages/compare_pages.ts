import { existsSync, fstatSync } from "node:fs";
import { readAt, withFile } from "@perdura/internals/files/guarded_file.js";
import { BLOCK, blocks } from "./blocks.ts";
import { readDatabaseHeader, freePages, type PageSet, journalRecords } from "./file_format.ts";

/** The files to compare; the caller's open transaction prevents changes. */
interface PageQuestion {
  /** The database, with uncommitted changes in memory or partly in the file. */
  database: string;
  /** Its copy from before the changes. */
  copy: string;
  /** The pages of the schema table in the copy. */
  schemaPages: readonly number[];
}

/** Result of a comparison of a database with its copy by pages. */
export interface PageFinding {
  /** True if no row was changed. Null if pages cannot decide it: then the rows have to be compared. */
  equal: boolean | null;
  /** The reason, as part of a sentence; null if they are equal. */
  reason: string | null;
}

/**
 * Decides if a transaction that is about to be committed can have changed a row. A page that is not in the journal is
 * unchanged; so if the journal contains only pages of the schema and free pages, and all other pages are equal in
 * database and copy, every table and index is byte for byte that of the copy.
 */
export function comparePages(question: PageQuestion): PageFinding {
  return withFile(question.copy, (copy) =>
    withFile(question.database, (database) => {
      const header = readDatabaseHeader(copy);
      if (header === undefined || !header.rollback || header.autoVacuum) return unknown("unsupported kind of database");
      const pages = fstatSync(copy).size / header.pageSize;
      if (!Number.isInteger(pages)) return unknown("unexpected file size");
      const idle = freePages(copy, header, pages);
      if (idle === undefined) return unknown("unreadable list of free pages");
      for (const page of [1, ...question.schemaPages]) idle.add(page);
      const finding = readJournal(`${question.database}-journal`, copy, header.pageSize, pages, idle);
      return finding ?? compareFiles(database, copy, header.pageSize, idle);
    }),
  );
}

const unknown = (why: string): PageFinding => ({ equal: null, reason: `pages cannot be compared: ${why}` });

/** Returns undefined if only idle pages were changed, and the journal has the content of each from the copy. */
function readJournal(
  path: string,
  copy: number,
  pageSize: number,
  pages: number,
  idle: PageSet,
): PageFinding | undefined {
  if (!existsSync(path)) return unknown("there is no journal");
  return withFile(path, (journal) => {
    const before = Buffer.alloc(pageSize);
    for (const record of journalRecords(journal, pageSize, pages)) {
      if (record === undefined) return unknown("unexpected content of the journal");
      if (!idle.has(record.page)) return unknown(`page ${record.page} holds rows and was changed`);
      readAt(copy, before, (record.page - 1) * pageSize);
      if (!before.equals(record.content)) return differs(record.page);
    }
    return undefined;
  });
}

const differs = (page: number): PageFinding => ({
  equal: false,
  reason: `page ${page} of the database differs from the copy`,
});

/** An idle page may have been overwritten already; pages after the end of the copy are new. */
function compareFiles(database: number, copy: number, pageSize: number, idle: Pick<PageSet, "has">): PageFinding {
  const other = Buffer.allocUnsafeSlow(BLOCK);
  let first = 1;
  for (const block of blocks(copy)) {
    const counterpart = other.subarray(0, readAt(database, other.subarray(0, block.length), (first - 1) * pageSize));
    if (!block.equals(counterpart))
      for (let offset = 0; offset < block.length; offset += pageSize) {
        const page = first + offset / pageSize;
        const [one, two] = [block, counterpart].map((bytes) => bytes.subarray(offset, offset + pageSize)) as [
          Buffer,
          Buffer,
        ];
        if (!one.equals(two) && !idle.has(page)) return differs(page);
      }
    first += block.length / pageSize;
  }
  return { equal: true, reason: null };
}

/**
 * True if two files contain the same database: byte for byte, except for unused pages. When SQLite rolls back changes
 * of a killed process, these keep the bytes that the process had written.
 */
export function sameDatabase(left: string, right: string): boolean {
  return withFile(left, (one) =>
    withFile(right, (other) => {
      const [{ size }, { size: otherSize }] = [fstatSync(one), fstatSync(other)];
      if (size !== otherSize) return false;
      const pageSize = readDatabaseHeader(one)?.pageSize ?? 512;
      const idle = [one, other].map((descriptor) => idlePages(descriptor, size));
      return (
        compareFiles(one, other, pageSize, { has: (page) => idle.every((pages) => pages.has(page)) }).equal === true
      );
    }),
  );
}

/** Returns an empty set if the file is not a database, or its list of free pages is damaged. */
function idlePages(descriptor: number, size: number): { has: (page: number) => boolean } {
  const header = readDatabaseHeader(descriptor);
  const pages = header === undefined ? 0 : size / header.pageSize;
  const free = header === undefined || !Number.isInteger(pages) ? undefined : freePages(descriptor, header, pages);
  return free ?? new Set<number>();
}
