import { fstatSync } from "node:fs";
import { readAt } from "./blocks.ts";

/** A page as it was before the transaction changed it. */
export interface JournalRecord {
  page: number;
  /** Overwritten by the next record. */
  content: Buffer;
}

/** What a journal begins with (SQLite file format, section 3). */
const MAGIC = "d9d505f920a163d7";
/** Stands there, and for the number of records, until SQLite has synced the records. */
const NOT_SYNCED = "0000000000000000";
const HEADER = 28;

/**
 * Every page that a transaction which is not committed yet has changed: SQLite writes the old content of a page into the
 * rollback journal before it touches the page. (It leaves out pages that were free, and those that the file did not have.)
 *
 * @param pages How many pages the database had.
 * @returns Undefined at the first thing that is not as expected; whoever asked then knows nothing.
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
    // Not said yet: then the records go on to the end.
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

/** The size of a sector, which a header fills; 0 for a header that is not one of this database as it was. */
function sectorOf(header: Buffer, pageSize: number, pages: number): number {
  const [before, sector, size] = [16, 20, 24].map((offset) => header.readUInt32BE(offset)) as [number, number, number];
  const fits = [MAGIC, NOT_SYNCED].includes(header.toString("hex", 0, 8)) && before === pages && size === pageSize;
  return fits && sector >= 512 && sector <= 65_536 && (sector & (sector - 1)) === 0 ? sector : 0;
}
