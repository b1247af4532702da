import { countText } from "@perdura/cli/quantities.js";
import type { BoundedList } from "../../core/bounded_list.ts";

/**
 * The path of an entry below its directory, `/` between its parts, one character for each byte (latin1): names need not
 * be UTF-8, and as text they can be compared and kept at no cost. Bytes sort as such text does.
 */
export type EntryName = string;

const ASCII = /^[\0-\x7f]*$/;

/** A name, or whatever else is kept as bytes, from the bytes that the file system or SQLite gave. */
export function nameFromBytes(bytes: Buffer): EntryName {
  return bytes.toString("latin1");
}

/**
 * An SQL expression for a column with names, to be read by {@link nameFromColumn}: bytes only where text would not do,
 * because buffers are dear where there are many.
 */
export function nameColumn(column: string): string {
  return `CASE WHEN ${column} GLOB '*[^ -~]*' THEN CAST(${column} AS BLOB) ELSE ${column} END`;
}

/** A name from what {@link nameColumn} gave. */
export function nameFromColumn(value: string | Buffer): EntryName {
  return typeof value === "string" ? value : nameFromBytes(value);
}

/** The bytes of a name, or its text where that is the same: for a statement that has `CAST(? AS TEXT)`. */
export function boundName(name: EntryName): string | Buffer {
  return ASCII.test(name) ? name : Buffer.from(name, "latin1");
}

/** The path of an entry, for the functions of the file system. */
export function pathBelow(root: string, name: EntryName): string | Buffer {
  if (ASCII.test(name)) return `${root}/${name}`;
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, "latin1")]);
}

/** A name for people; what is not UTF-8 in it becomes U+FFFD. */
export function shownName(name: EntryName): string {
  return ASCII.test(name) ? name : Buffer.from(name, "latin1").toString("utf8");
}

/** Text as bytes, in the form of a name. */
export function nameFromText(text: string): EntryName {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** The name of the directory that an entry lies in; empty for the directory itself. */
export function parentOf(name: EntryName): EntryName {
  return name.slice(0, Math.max(0, name.lastIndexOf("/")));
}

/**
 * True for what the stock `sqlite3 -Ax` does not extract, without a word: it takes every `..` before a slash or backslash
 * for a way out of the directory (`name NOT GLOB '*..[/\]*'`), also where it is the end of a name.
 */
export function isPassedOver(name: EntryName): boolean {
  return /\.\.[/\\]/.test(name);
}

/** Says so to those who know of the stock program only; null where it extracts everything. */
export function passedOverNote(passedOver: BoundedList): string | null {
  return passedOver.count === 0
    ? null
    : `The stock "sqlite3 -Ax" passes over ${countText(passedOver.count, "entry", "entries")}, because of ".." before a slash or backslash: ${passedOver.list().join(", ")}. All is in the archive all the same, and "perdura-migrate states --extract DIR ARCHIVE" extracts everything`;
}
