import { readAt } from "../files/guarded_file.ts";
import { changeCounter, type DatabaseHeader, HEADER_BYTES } from "./database_header.ts";
import { checksumAfterHeader, FRAME_HEADER, holdsTransaction, WAL_HEADER } from "./logs.ts";

/** Facts about the pages in a write-ahead log. */
interface WalPages {
  pageSize: number;
  /** The change counter of the first page 1 in the log; undefined without one. */
  counter: number | undefined;
  /** True if a page 1 in the log begins like the database. */
  hasSamePageOne: boolean;
  /** Size of the database after the first transaction, in pages. */
  firstSize: number;
  /** True if the first transaction contains all pages of the database. */
  isRewritten: boolean;
  /** Number of pages after the end of the database that the log lacks, although its last transaction has later ones. */
  missingPages: number;
}

/** SQLite locks this byte of the file, and uses no page that contains it. */
const LOCK_BYTE = 1 << 30;

/**
 * Reads the frames of a write-ahead log (SQLite file format, section 4.1).
 *
 * @param isChecked True to stop at the first frame with a wrong checksum, as SQLite does; this reads every page.
 * @returns Undefined for a log without a committed transaction, which SQLite ignores.
 */
export function walPages(log: number, database: DatabaseHeader, isChecked: boolean): WalPages | undefined {
  if (!holdsTransaction(log)) return undefined;
  const header = Buffer.alloc(WAL_HEADER);
  readAt(log, header, 0);
  const pageSize = header.readUInt32BE(8);
  const [frame, start] = [Buffer.alloc(FRAME_HEADER), Buffer.alloc(HEADER_BYTES)];
  const [inFirst, added] = [new Set<number>(), new Set<number>()];
  let [firstSize, lastSize] = [0, 0];
  let counter: number | undefined;
  let hasSamePageOne = false;
  const checksum = isChecked ? checksumAfterHeader(header) : undefined;
  // SQLite ignores frames without a commit.
  let pending: { page: number; start: Buffer | undefined }[] = [];
  for (let position = WAL_HEADER; ; position += FRAME_HEADER + pageSize) {
    // The frames of an earlier use of the file, which follow, have another salt.
    if (readAt(log, frame, position) < FRAME_HEADER || frame.compare(header, 16, 24, 8, 16) !== 0) break;
    if (checksum !== undefined) {
      const content = Buffer.alloc(pageSize);
      const isComplete = readAt(log, content, position + FRAME_HEADER) === pageSize;
      if (!isComplete || !checksum.add(frame.subarray(0, 8)).add(content).equals(frame, 16)) break;
    }
    const [page, size] = [frame.readUInt32BE(0), frame.readUInt32BE(4)];
    const isWhole = page === 1 && readAt(log, start, position + FRAME_HEADER) === HEADER_BYTES;
    pending.push({ page, start: isWhole ? Buffer.from(start) : undefined });
    // Only the last frame of a transaction contains the size of the database after the commit.
    if (size === 0) continue;
    for (const one of pending) {
      if (firstSize === 0) inFirst.add(one.page);
      if (one.page > (database.pages ?? Infinity)) added.add(one.page);
      if (one.start === undefined) continue;
      counter ??= changeCounter(one.start);
      hasSamePageOne ||= one.start.equals(database.bytes);
    }
    pending = [];
    if (firstSize === 0) firstSize = size;
    lastSize = size;
  }
  const lockPage = Math.floor(LOCK_BYTE / pageSize) + 1;
  const isWritten = (page: number): boolean => page <= lastSize && page !== lockPage;
  const from = database.pages ?? lastSize;
  const expected = Math.max(0, lastSize - from) - (lockPage > from && lockPage <= lastSize ? 1 : 0);
  return {
    pageSize,
    counter,
    hasSamePageOne,
    firstSize,
    isRewritten: [...inFirst].filter((page) => page <= firstSize).length >= firstSize - (lockPage <= firstSize ? 1 : 0),
    missingPages: expected - [...added].filter(isWritten).length,
  };
}
