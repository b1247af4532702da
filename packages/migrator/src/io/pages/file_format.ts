import { readAt } from "@perdura/internals/files/guarded_file.js";
import { fstatSync } from "node:fs";

/** Fields of the first 100 bytes of a database that describe its pages (SQLite file format, section 1.3). */
interface DatabaseHeader {
  pageSize: number;
  /** True for a rollback journal; false for a write-ahead log. */
  rollback: boolean;
  /** True if pages may move at a commit. */
  autoVacuum: boolean;
  /** The first trunk page of the list of free pages, or 0, and the number of free pages. */
  firstTrunk: number;
  freePages: number;
}

const LENGTH = 100;

/** Returns undefined if the file does not begin with a database header. */
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

/**
 * The unused pages of a database: the trunks of the free list and their leaves (SQLite file format, section 1.5).
 *
 * @param pages Number of pages of the file.
 * @returns Undefined if the list is damaged.
 */
export function freePages(
  descriptor: number,
  { pageSize, firstTrunk, freePages: expected }: DatabaseHeader,
  pages: number,
): PageSet | undefined {
  const free = new PageSet(pages);
  const trunk = Buffer.alloc(pageSize);
  for (let page = firstTrunk; page !== 0; page = trunk.readUInt32BE(0)) {
    if (!free.add(page) || readAt(descriptor, trunk, (page - 1) * pageSize) < pageSize) return undefined;
    const leaves = trunk.readUInt32BE(4);
    if (leaves > pageSize / 4 - 2) return undefined;
    for (let leaf = 0; leaf < leaves; leaf += 1) if (!free.add(trunk.readUInt32BE(8 + leaf * 4))) return undefined;
  }
  return free.size === expected && !free.has(1) ? free : undefined;
}

/**
 * A set of page numbers with one bit for each page of the database, so its size does not depend on the number of free
 * pages.
 */
export class PageSet {
  readonly #bits: Uint8Array;
  readonly #pages: number;
  #size = 0;

  /** @param pages The highest page number. */
  constructor(pages: number) {
    this.#pages = pages;
    this.#bits = new Uint8Array(Math.floor(pages / 8) + 1);
  }

  get size(): number {
    return this.#size;
  }

  has(page: number): boolean {
    return ((this.#bits[page >>> 3] ?? 0) & (1 << (page & 7))) !== 0;
  }

  /** Returns false if the number is out of range, or already in the set. */
  add(page: number): boolean {
    if (page < 1 || page > this.#pages || this.has(page)) return false;
    this.#bits[page >>> 3] = (this.#bits[page >>> 3] as number) | (1 << (page & 7));
    this.#size += 1;
    return true;
  }
}

/** The content of a page before the transaction. */
interface JournalRecord {
  page: number;
  /** The next record overwrites it. */
  content: Buffer;
}

/** The first bytes of a journal (SQLite file format, section 3). */
const MAGIC = "d9d505f920a163d7";
/** Placeholder for the magic bytes and the number of records until SQLite has synced the records. */
const NOT_SYNCED = "0000000000000000";
const HEADER = 28;

/**
 * Yields every page that an uncommitted transaction has changed: SQLite writes the old content of a page into the
 * rollback journal before it changes the page. (It leaves out pages that were free, and those that the file did not
 * have.)
 *
 * @param pages Number of pages of the database before the transaction.
 * @returns Yields undefined at the first unexpected content and ends; the caller then has no result.
 */
export function* journalRecords(
  descriptor: number,
  pageSize: number,
  pages: number,
): Generator<JournalRecord | undefined, void> {
  const { size } = fstatSync(descriptor);
  const header = Buffer.alloc(HEADER);
  const record = Buffer.alloc(pageSize + 8);
  for (let position = 0; position < size;) {
    const sector = readAt(descriptor, header, position) === HEADER ? sectorOf(header, pageSize, pages) : 0;
    if (sector === 0) return yield undefined;
    const first = position + sector;
    // Not yet written: then the records extend to the end.
    const said = header.readUInt32BE(8);
    const count = said === 0 || said === 0xffffffff ? (size - first) / record.length : said;
    if (!Number.isInteger(count) || count < 0) return yield undefined;
    for (let number = 0; number < count; number += 1) {
      const whole = readAt(descriptor, record, first + number * record.length) === record.length;
      const page = record.readUInt32BE(0);
      if (!whole || page < 1 || page > pages) return yield undefined;
      yield { page, content: record.subarray(4, 4 + pageSize) };
    }
    position = Math.ceil((first + count * record.length) / sector) * sector;
  }
}

/**
 * The size of a sector, which a header fills; 0 for a header that does not match this database before the transaction.
 */
function sectorOf(header: Buffer, pageSize: number, pages: number): number {
  const [before, sector, size] = [16, 20, 24].map((offset) => header.readUInt32BE(offset)) as [number, number, number];
  const fits = [MAGIC, NOT_SYNCED].includes(header.toString("hex", 0, 8)) && before === pages && size === pageSize;
  return fits && sector >= 512 && sector <= 65_536 && (sector & (sector - 1)) === 0 ? sector : 0;
}
