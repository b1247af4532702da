import { fstatSync } from "node:fs";
import { readAt, withFile } from "../files/guarded_file.ts";
import { type DatabaseHeader, HEADER_BYTES, headerOf } from "./database_header.ts";

/** Pages with content that belongs to no row any more. */
export interface Leftovers {
  /** True if unused pages have such content. */
  isInUnusedPages: boolean;
  /** Numbers of pages of tables and indexes that have such content between their rows; true if the text is in it. */
  pages: Map<number, boolean>;
}

/** Number of pages that are read at once. */
const AT_ONCE = 256;

/**
 * Looks for content of deleted rows in a database without a log (SQLite file format, sections 1.5 and 1.6). The bytes of
 * an unused page, and those between the rows of a page, still have their former content, unless it was overwritten. For
 * the unused ends of overflow pages, see {@link withUnusedEnds}.
 *
 * @param text A text to look for between rows; of a long one, the part that is on the page of its row.
 */
export function leftoversOf(path: string, text: string): Leftovers {
  const found: Leftovers = { isInUnusedPages: false, pages: new Map() };
  const header = headerOf(path);
  if (header === undefined) return found;
  const searched = searchedBytes(text, header);
  // An id of control characters looks like places of rows.
  const isLeft = (gap: Buffer, index: number): boolean =>
    hasContent(gap) && (index > 0 || !hasOnlyPlaces(gap) || (searched.length > 0 && gap.includes(searched)));
  return withFile(path, (descriptor) => {
    const unused = unusedPages(descriptor, header);
    const last = Math.floor(fstatSync(descriptor).size / header.pageSize);
    const pages = Buffer.alloc(AT_ONCE * header.pageSize);
    for (let first = 1; first <= last; first += AT_ONCE) {
      const read = readAt(descriptor, pages, (first - 1) * header.pageSize);
      for (let index = 0; (index + 1) * header.pageSize <= read; index += 1) {
        const page = pages.subarray(index * header.pageSize, (index + 1) * header.pageSize - header.reserved);
        const number = first + index;
        const used = unused.get(number);
        if (used !== undefined) {
          found.isInUnusedPages ||= hasContent(page.subarray(used));
          continue;
        }
        const gaps = gapsOf(page, number === 1 ? HEADER_BYTES : 0).filter(isLeft);
        if (gaps.length > 0)
          found.pages.set(
            number,
            gaps.some((gap) => gap.includes(searched)),
          );
      }
    }
    return found;
  });
}

/** Calls a function with one that tells whether the last bytes of an overflow page, which no value uses, have content. */
export function withUnusedEnds<Result>(
  path: string,
  use: (hasContentAtEnd: (page: number, length: number) => boolean) => Result,
): Result {
  const header = headerOf(path);
  if (header === undefined) return use(() => false);
  const { pageSize, reserved } = header;
  return withFile(path, (descriptor) =>
    use((page, length) => {
      const end = Buffer.alloc(length);
      readAt(descriptor, end, page * pageSize - reserved - length);
      return hasContent(end);
    }),
  );
}

const UTF_8 = 1;

const encodingOf = ({ bytes }: DatabaseHeader): number => bytes.readUInt32BE(56);

/** Bytes of a record before a text in it: lengths, types, and a row id. */
const BEFORE_TEXT = 16;

/** The bytes of a text in the encoding of the database, as far as they are on a page in any case (section 1.6). */
function searchedBytes(text: string, header: DatabaseHeader): Buffer {
  const bytes = encodingOf(header) === UTF_8 ? Buffer.from(text) : Buffer.from(text, "utf16le");
  if (encodingOf(header) === 3) bytes.swap16();
  const onPage = Math.floor(((header.pageSize - header.reserved - 12) * 32) / 255) - 23;
  return bytes.subarray(0, onPage - BEFORE_TEXT);
}

function hasContent(bytes: Buffer): boolean {
  return bytes.some((byte) => byte !== 0);
}

/** The unused pages with the length of what SQLite keeps in them: lists of their numbers (section 1.5). */
function unusedPages(descriptor: number, header: DatabaseHeader): Map<number, number> {
  const unused = new Map<number, number>();
  const page = Buffer.alloc(header.pageSize);
  for (let trunk = header.bytes.readUInt32BE(32); trunk !== 0 && !unused.has(trunk); trunk = page.readUInt32BE(0)) {
    if (readAt(descriptor, page, (trunk - 1) * header.pageSize) < page.length) break;
    const count = Math.min(page.readUInt32BE(4), Math.floor(header.pageSize / 4) - 2);
    unused.set(trunk, 8 + 4 * count);
    for (let leaf = 0; leaf < count; leaf += 1) unused.set(page.readUInt32BE(8 + 4 * leaf), 0);
  }
  return unused;
}

/** The types of pages of tables and indexes, with the length of their headers (section 1.6). */
const HEADERS: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 };

/** The bytes of a page that no row uses; none for a page of another type. The first ones follow the places of its rows. */
function gapsOf(page: Buffer, at: number): Buffer[] {
  const headerLength = HEADERS[page[at] as number];
  if (headerLength === undefined) return [];
  const rows = page.readUInt16BE(at + 3);
  const content = page.readUInt16BE(at + 5) || 65_536;
  const gaps = [page.subarray(at + headerLength + 2 * rows, Math.min(content, page.length))];
  // Free blocks begin with the place of the next one and their length.
  for (let block = page.readUInt16BE(at + 1), blocks = 0; block !== 0 && blocks < page.length; blocks += 1) {
    if (block + 4 > page.length) break;
    gaps.push(page.subarray(block + 4, Math.min(block + page.readUInt16BE(block + 2), page.length)));
    block = page.readUInt16BE(block);
  }
  return gaps;
}

/** Places below this one are those of the header of a page and of its list of rows. */
const FIRST_PLACE = 0x80;

/**
 * True if the bytes are zeros and places of removed rows, which SQLite leaves behind those of existing ones: numbers below
 * the size of a page. In larger pages than usual such a number looks like text, and counts as content. A smaller number
 * than a place is text in UTF-16.
 */
function hasOnlyPlaces(bytes: Buffer): boolean {
  return bytes.every((byte, index) =>
    index % 2 === 0 ? byte < 0x20 : byte === 0 || byte >= FIRST_PLACE || bytes[index - 1] !== 0,
  );
}
