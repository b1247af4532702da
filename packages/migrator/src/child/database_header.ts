import { readAt } from "./blocks.ts";

/** The first 100 bytes of a database that say how its pages are to be read (SQLite file format, section 1.3). */
export interface DatabaseHeader {
  pageSize: number;
  /** True for a rollback journal; false for a write-ahead log. */
  rollback: boolean;
  /** Pages move at a commit in these. */
  autoVacuum: boolean;
  /** The first page of the list of free pages, or 0, and how many are free. */
  firstTrunk: number;
  freePages: number;
}

const LENGTH = 100;

/** Undefined where the file does not begin as a database does. */
export function readDatabaseHeader(descriptor: number): DatabaseHeader | undefined {
  const bytes = Buffer.alloc(LENGTH);
  if (readAt(descriptor, bytes, 0) < LENGTH || bytes.toString("latin1", 0, 16) !== "SQLite format 3\0")
    return undefined;
  const size = bytes.readUInt16BE(16);
  return {
    pageSize: size === 1 ? 65_536 : size,
    rollback: bytes[18] === 1 && bytes[19] === 1,
    autoVacuum: bytes.readUInt32BE(52) !== 0,
    firstTrunk: bytes.readUInt32BE(32),
    freePages: bytes.readUInt32BE(36),
  };
}
