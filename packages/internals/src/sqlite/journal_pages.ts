import { fstatSync } from "node:fs";
import { readAt } from "../files/guarded_file.ts";
import { changeCounter, HEADER_BYTES } from "./database_header.ts";
import { JOURNAL_HEADER, JOURNAL_MAGIC, journalSizes } from "./logs.ts";

/** Facts about the original pages in a rollback journal. */
interface JournalPages {
  /** The beginning of the original page 1, with its change counter; undefined if the journal does not contain page 1. */
  first: { bytes: Buffer; counter: number } | undefined;
  /** Size of the database before the transaction, in pages. */
  pages: number;
}

/** Number of records that a journal states if it was not synced; they extend to its end. */
const TO_THE_END = 0xff_ff_ff_ff;

/**
 * Reads the records of a rollback journal (SQLite file format, section 3).
 *
 * @returns Undefined for a journal that SQLite does not use: that of a transaction that has ended.
 */
export function journalPages(journal: number): JournalPages | undefined {
  const { size } = fstatSync(journal);
  const [header, record] = [Buffer.alloc(JOURNAL_HEADER), Buffer.alloc(4 + HEADER_BYTES)];
  let pages: number | undefined;
  for (let position = 0; position < size;) {
    const isHeader = readAt(journal, header, position) === JOURNAL_HEADER;
    if (!isHeader || header.toString("hex", 0, 8) !== JOURNAL_MAGIC) break;
    const sizes = journalSizes(header);
    if (sizes === undefined) break;
    const [stated, initial] = [header.readUInt32BE(8), header.readUInt32BE(16)];
    const { sector, pageSize } = sizes;
    pages ??= initial;
    const length = pageSize + 8;
    const first = position + sector;
    const records = stated === TO_THE_END ? Math.floor((size - first) / length) : stated;
    for (let index = 0; index < records; index += 1) {
      if (readAt(journal, record, first + index * length) < record.length) break;
      const bytes = record.subarray(4);
      if (record.readUInt32BE(0) === 1) return { first: { bytes, counter: changeCounter(bytes) }, pages };
    }
    // The last header of a journal states no records until they are synced.
    if (records <= 0) break;
    position = Math.ceil((first + records * length) / sector) * sector;
  }
  return pages === undefined ? undefined : { first: undefined, pages };
}
