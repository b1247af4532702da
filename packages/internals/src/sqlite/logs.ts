import { statSync } from "node:fs";
import { readAt, withFile } from "../files/guarded_file.ts";
import { unlessMissing } from "../files/missing.ts";

/** A write-ahead log (`-wal`) or a rollback journal (`-journal`), which SQLite keeps next to a database. */
interface Log {
  suffix: "-wal" | "-journal";
  /** The magic numbers at its beginning. */
  starts: readonly Buffer[];
  /** True if SQLite would use pages of the file. */
  holdsData: (descriptor: number, size: number) => boolean;
}

/** First bytes of a rollback journal whose records were synced (SQLite file format, section 3). */
export const JOURNAL_MAGIC = "d9d505f920a163d7";

/** Magic numbers of a write-ahead log; they state the byte order of its checksums (section 4.1). */
const LITTLE_ENDIAN = 0x377f0682;
const BIG_ENDIAN = 0x377f0683;

const LOGS: readonly Log[] = [
  {
    suffix: "-wal",
    starts: [LITTLE_ENDIAN, BIG_ENDIAN].map((magic) => Buffer.from(magic.toString(16), "hex")),
    holdsData: holdsTransaction,
  },
  { suffix: "-journal", starts: [Buffer.from(JOURNAL_MAGIC, "hex")], holdsData: holdsOriginals },
];

/**
 * Finds a log next to a database whose pages SQLite would use: a write-ahead log with a committed transaction, or a
 * rollback journal with original pages. SQLite locks neither file, so that closing one after reading releases no lock.
 *
 * @param place The real path of the database, which may be missing.
 * @returns The path of the log; undefined if no log has data.
 */
export function logWithData(place: string): string | undefined {
  return LOGS.map(({ suffix }) => `${place}${suffix}`).find(isLogWithData);
}

/** True for a log or journal whose pages SQLite would use, by the end of its name and by its content. */
export function isLogWithData(path: string): boolean {
  const log = LOGS.find(({ suffix }) => path.endsWith(suffix));
  const found = statSync(path, { throwIfNoEntry: false });
  if (log === undefined || found?.isFile() !== true || found.size === 0) return false;
  // The last program that closes a database removes its log.
  return unlessMissing(() => withFile(path, (descriptor) => log.holdsData(descriptor, found.size))) ?? false;
}

/**
 * True for a file with the name of a log that SQLite did not write. The first bytes of a log or journal are a magic number
 * or zeros: those of a journal are zeros until its records are synced and after its transaction has ended.
 */
export function isOtherThanLog(path: string): boolean {
  const log = LOGS.find(({ suffix }) => path.endsWith(suffix));
  if (log === undefined) return false;
  const head = Buffer.alloc(8);
  const length = unlessMissing(() => withFile(path, (descriptor) => readAt(descriptor, head, 0))) ?? 0;
  const isLike = (start: Buffer): boolean => {
    const compared = Math.min(length, start.length);
    return head.compare(start, 0, compared, 0, compared) === 0;
  };
  return !isLike(Buffer.alloc(head.length)) && !log.starts.some(isLike);
}

/** Reads bytes; undefined if the file ends before. */
function bytesAt(descriptor: number, position: number, length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  return readAt(descriptor, bytes, position) === length ? bytes : undefined;
}

export const JOURNAL_HEADER = 28;

/**
 * The sizes of sectors and pages in the header of a journal; undefined for sizes that are not valid. SQLite does not use
 * such a journal: its header was not synced.
 */
export function journalSizes(header: Buffer): { sector: number; pageSize: number } | undefined {
  const [sector, pageSize] = [header.readUInt32BE(20), header.readUInt32BE(24)];
  const isValid = isPowerOfTwo(sector, 32, 65_536) && isPowerOfTwo(pageSize, 512, 65_536);
  return isValid ? { sector, pageSize } : undefined;
}

const isPowerOfTwo = (number: number, least: number, most: number): boolean =>
  number >= least && number <= most && (number & (number - 1)) === 0;

/**
 * True for a journal with original pages. A journal without its magic number is not used: its transaction has ended, or
 * the journal was not synced yet and the database is unchanged. The journal of a new database contains no page.
 */
function holdsOriginals(descriptor: number, size: number): boolean {
  const header = bytesAt(descriptor, 0, JOURNAL_HEADER);
  if (header === undefined || header.toString("hex", 0, 8) !== JOURNAL_MAGIC) return false;
  const sizes = journalSizes(header);
  return sizes !== undefined && header.readUInt32BE(8) > 0 && size >= sizes.sector + sizes.pageSize + 8;
}

export const WAL_HEADER = 32;
export const FRAME_HEADER = 24;

/** The checksum of the header of a write-ahead log, to which those of its frames are added. */
export function checksumAfterHeader(header: Buffer): WalChecksum {
  return new WalChecksum(header.readUInt32BE(0) === BIG_ENDIAN).add(header.subarray(0, 24));
}

/** Reads frames like SQLite's recovery, up to the first one that ends a transaction. */
export function holdsTransaction(descriptor: number): boolean {
  const header = bytesAt(descriptor, 0, WAL_HEADER);
  const magic = header?.readUInt32BE(0);
  if (header === undefined || (magic !== LITTLE_ENDIAN && magic !== BIG_ENDIAN)) return false;
  const checksum = checksumAfterHeader(header);
  if (!checksum.equals(header, 24)) return false;
  const pageSize = header.readUInt32BE(8);
  if (!isPowerOfTwo(pageSize, 512, 65_536)) return false;
  const length = FRAME_HEADER + pageSize;
  for (let position = WAL_HEADER; ; position += length) {
    const frame = bytesAt(descriptor, position, length);
    if (frame === undefined || frame.compare(header, 16, 24, 8, 16) !== 0) return false;
    if (!checksum.add(frame.subarray(0, 8)).add(frame.subarray(FRAME_HEADER)).equals(frame, 16)) return false;
    // Only the last frame of a transaction contains the size of the database after the commit.
    if (frame.readUInt32BE(4) > 0) return true;
  }
}

/** Cumulative checksum of a write-ahead log (SQLite file format, section 4.2). */
class WalChecksum {
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  add(bytes: Buffer): this {
    for (let offset = 0; offset < bytes.length; offset += 8) {
      const [one, other] = [offset, offset + 4].map((at) =>
        this.#isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at),
      ) as [number, number];
      this.#first = (this.#first + one + this.#second) >>> 0;
      this.#second = (this.#second + other + this.#first) >>> 0;
    }
    return this;
  }

  equals(bytes: Buffer, offset: number): boolean {
    return bytes.readUInt32BE(offset) === this.#first && bytes.readUInt32BE(offset + 4) === this.#second;
  }
}
