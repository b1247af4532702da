import { isDatabaseHead, readAt, withFile } from "../files/guarded_file.ts";
import { unlessMissing } from "../files/missing.ts";
import { descriptorsOf, identityOf } from "../files/open_files.ts";

/** Fields of the header of a database (SQLite file format, section 1.3), which is also the beginning of its page 1. */
export interface DatabaseHeader {
  readonly bytes: Buffer;
  readonly pageSize: number;
  /** Number of bytes at the end of each page that SQLite does not use. */
  readonly reserved: number;
  /** True if the database does not use a write-ahead log. */
  readonly isRollback: boolean;
  /** The file change counter: it grows when page 1 is written, in a write-ahead log not every time. */
  readonly counter: number;
  /** Size in pages; undefined if the last program that wrote the database did not keep this field. */
  readonly pages: number | undefined;
  readonly isAutoVacuum: boolean;
}

/** Length of the header in bytes. */
export const HEADER_BYTES = 100;

/**
 * Reads the header of a database without SQLite. If this process has the file open, reads through that descriptor.
 *
 * @returns Undefined for a file that is missing or does not begin like a database.
 */
export function headerOf(path: string): DatabaseHeader | undefined {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const identity = identityOf(path);
  if (identity === undefined) return undefined;
  const own = descriptorsOf(identity)?.[0];
  const read = (descriptor: number): number => readAt(descriptor, bytes, 0);
  const length = own === undefined ? unlessMissing(() => withFile(path, read)) : read(own);
  if (length !== bytes.length || !isDatabaseHead(bytes)) return undefined;
  const [counter, pages] = [changeCounter(bytes), bytes.readUInt32BE(28)];
  const pageSize = bytes.readUInt16BE(16);
  return {
    bytes,
    pageSize: pageSize === 1 ? 65_536 : pageSize,
    reserved: bytes[20] as number,
    isRollback: bytes[18] === 1 && bytes[19] === 1,
    counter,
    pages: pages > 0 && bytes.readUInt32BE(92) === counter ? pages : undefined,
    isAutoVacuum: bytes.readUInt32BE(52) !== 0,
  };
}

/** The change counter in the first bytes of a page 1. */
export function changeCounter(bytes: Buffer): number {
  return bytes.readUInt32BE(24);
}
