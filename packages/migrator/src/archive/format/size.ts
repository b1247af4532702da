import { availableParallelism } from "node:os";
import { isStateFile } from "../states/state_file.ts";
import type { Entry } from "../tree/walk_tree.ts";

/** Bytes of a page of an archive: with larger ones than the usual it is written faster, and takes no more room. */
export const PAGE = 16_384;

/** The longest value in an SQLite database is 10^9 bytes, the rest of its row included. */
export const MAX_FILE_BYTES: number = 1_000_000_000 - 65_536;

/** Bytes of a page that rows can use, and what a row of each kind of tree keeps on its page (SQLite file format, 1.6). */
const USABLE: number = PAGE - 12;
const OVERFLOW: number = PAGE - 4;
const LEAST: number = Math.floor((USABLE * 32) / 255) - 23;
const MOST = { table: PAGE - 35, index: Math.floor((USABLE * 64) / 255) - 23 } as const;

/** What pages that only grow at their end leave empty between rows of an index, and what the tree itself takes. */
const SLACK = 1.25;

/** The columns of a row beside its names and contents, in bytes: numbers, checksums in hexadecimal, the words of a reason. */
const SQLAR = 24;
const ENTRY = 112;
const STATE = 320;
const KEY = 12;

/** Room for empty tables, and for the report. */
const MARGIN = 256 * 1024;

/** Bytes that the rows of one entry take at most. Contents count as if they could not be deflated. */
export function archivedBytes({ name, kind, size }: Pick<Entry, "name" | "kind" | "size">): number {
  const length = name.length;
  const content = kind === "directory" ? 0 : size;
  const always =
    stored(length + content + SQLAR, "table") + stored(length + KEY, "index") + stored(length + ENTRY, "index");
  if (!isStateFile({ name, kind })) return always;
  // All of it may stand in the column `extra` once more, with a blank after each comma.
  const state = stored(2 * length + content + Math.ceil(content / 6) + STATE, "index");
  return always + state + stored(2 * length + KEY, "index");
}

/** For fewer entries a second process does not pay. */
const WORTH_HALVING = 5000;

/** True where two processes are quicker than one. */
export function canHalve(entries: number): boolean {
  return entries >= WORTH_HALVING && availableParallelism() > 1;
}

/**
 * Bytes that have to be free for an archive: its own, and for a while once more those of the half that another process
 * writes, with the names of that half.
 *
 * @param archived The sum of {@link archivedBytes}.
 * @param names Bytes of all names.
 * @param share Which part of the bytes is in the second half, 0 to 1.
 */
export function neededBytes(archived: number, names: number, entries: number, share: number): number {
  const half = canHalve(entries) ? archived * Math.max(share, 0.5) + names + entries * 64 : 0;
  return Math.ceil(archived + half) + MARGIN;
}

/** The pages of a row: what does not fit on the page goes to pages of its own, and the rows on a page are whole. */
function stored(row: number, tree: keyof typeof MOST): number {
  const rest = LEAST + ((row - LEAST) % OVERFLOW);
  const onPage = row <= MOST[tree] ? row : rest <= MOST[tree] ? rest : LEAST;
  const beyond = Math.ceil((row - onPage) / OVERFLOW) * PAGE;
  return beyond + (tree === "table" ? PAGE / Math.floor(USABLE / onPage) : onPage * SLACK);
}
