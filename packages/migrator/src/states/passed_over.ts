import { countText } from "@perdura/cli/quantities.js";
import type { EntryName } from "./entry_name.ts";
import type { Few } from "./few.ts";

/**
 * True for what the stock `sqlite3 -Ax` does not extract, without a word: it takes every `..` before a slash or backslash
 * for a way out of the directory (`name NOT GLOB '*..[/\]*'`), also where it is the end of a name.
 */
export function isPassedOver(name: EntryName): boolean {
  return /\.\.[/\\]/.test(name);
}

/** Says so to those who know of the stock program only; null where it extracts everything. */
export function passedOverNote(passedOver: Few): string | null {
  return passedOver.count === 0
    ? null
    : `The stock "sqlite3 -Ax" passes over ${countText(passedOver.count, "entry", "entries")}, because of ".." before a slash or backslash: ${passedOver.list().join(", ")}. All is in the archive all the same, and "perdura-migrate states --extract DIR ARCHIVE" extracts everything`;
}
