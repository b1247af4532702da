import { fstatSync } from "node:fs";
import { withFile } from "./blocks.ts";
import { compareFiles } from "./compare_pages.ts";
import { readDatabaseHeader } from "./database_header.ts";
import { freePages } from "./free_pages.ts";

/**
 * True when two files hold the same database: byte for byte, except for pages that hold nothing. When SQLite rolls back
 * what a killed process did, it leaves in those what the process had written there.
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

/** None where the file is no database, or where its list of them is not as it has to be. */
function idlePages(descriptor: number, size: number): { has: (page: number) => boolean } {
  const header = readDatabaseHeader(descriptor);
  const pages = header === undefined ? 0 : size / header.pageSize;
  const free = header === undefined || !Number.isInteger(pages) ? undefined : freePages(descriptor, header, pages);
  return free ?? new Set<number>();
}
