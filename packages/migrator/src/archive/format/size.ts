import { isStateFile } from "./state_file.ts";
import type { Entry } from "../tree/walk_tree.ts";

/** Bytes of a page of an archive: writing is faster than with SQLite's default, and the file is not larger. */
export const PAGE = 16_384;

/** The longest value in an SQLite database is 10^9 bytes, including the other columns of its row. */
export const MAX_FILE_BYTES: number = 1_000_000_000 - 65_536;

/**
 * Usable bytes of a page, and the bytes of a row that stay on its page in each kind of tree (SQLite file format, 1.6).
 */
const USABLE: number = PAGE - 12;
const OVERFLOW: number = PAGE - 4;
const LEAST: number = Math.floor((USABLE * 32) / 255) - 23;
const MOST = { table: PAGE - 35, index: Math.floor((USABLE * 64) / 255) - 23 } as const;

/** Factor for the space between rows of an index on pages that only grow at their end, and for the tree itself. */
const SLACK = 1.25;

/**
 * Bytes of the columns of a row other than names and contents: numbers, hexadecimal checksums, the text of a reason.
 */
const SQLAR = 24;
const ENTRY = 112;
const STATE = 320;
const KEY = 12;

/** Space for empty tables, and for the report. */
const MARGIN = 256 * 1024;

/** Maximum number of bytes that the rows of one entry need. Contents count as incompressible. */
export function archivedBytes({ name, kind, size }: Pick<Entry, "name" | "kind" | "size">): number {
  const length = name.length;
  const content = kind === "directory" ? 0 : size;
  const always =
    stored(length + content + SQLAR, "table") + stored(length + KEY, "index") + stored(length + ENTRY, "index");
  if (!isStateFile({ name, kind })) return always;
  // The column `extra` may repeat all of it, with a blank after each comma.
  const state = stored(2 * length + content + Math.ceil(content / 6) + STATE, "index");
  return always + state + stored(2 * length + KEY, "index");
}

/**
 * Free bytes that writing an archive needs.
 *
 * @param archived The sum of {@link archivedBytes}.
 */
export function neededBytes(archived: number): number {
  return Math.ceil(archived) + MARGIN;
}

/**
 * Bytes of the pages of a row: the part that does not fit on its page goes to overflow pages; the part on the page is
 * not split.
 */
function stored(row: number, tree: keyof typeof MOST): number {
  const rest = LEAST + ((row - LEAST) % OVERFLOW);
  const onPage = row <= MOST[tree] ? row : rest <= MOST[tree] ? rest : LEAST;
  const beyond = Math.ceil((row - onPage) / OVERFLOW) * PAGE;
  return beyond + (tree === "table" ? PAGE / Math.floor(USABLE / onPage) : onPage * SLACK);
}
