import { countText } from "@perdura/cli/quantities.js";
import type { BoundedList } from "../../core/bounded_list.ts";

/**
 * The path of an entry below its directory, with `/` as separator, one character for each byte (latin1): names need not
 * be UTF-8, and such text is cheap to compare and to keep. It sorts like its bytes.
 */
export type EntryName = string;

const ASCII = /^[\0-\x7f]*$/;

/** Converts bytes from the file system or SQLite to a name, or to another value of the same form. */
export function nameFromBytes(bytes: Buffer): EntryName {
  return bytes.toString("latin1");
}

/**
 * An SQL expression for a column with names, to be read by {@link nameFromColumn}: yields bytes only for names that are
 * not plain ASCII, because buffers are expensive in large numbers.
 */
export function nameColumn(column: string): string {
  return `CASE WHEN ${column} GLOB '*[^ -~]*' THEN CAST(${column} AS BLOB) ELSE ${column} END`;
}

/** Converts a value of {@link nameColumn} to a name. */
export function nameFromColumn(value: string | Buffer): EntryName {
  return typeof value === "string" ? value : nameFromBytes(value);
}

/** The bytes of a name, or its text if that is equal: for a statement that has `CAST(? AS TEXT)`. */
export function boundName(name: EntryName): string | Buffer {
  return ASCII.test(name) ? name : Buffer.from(name, "latin1");
}

/** The path of an entry, for file system functions. */
export function pathBelow(root: string, name: EntryName): string | Buffer {
  if (ASCII.test(name)) return `${root}/${name}`;
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, "latin1")]);
}

/**
 * On Windows a backslash separates names, and a colon names a drive or a stream. U+10FFFF, whose bytes in UTF-8 stand
 * here, ends the process: libuv of Node.js 22 considers it invalid.
 */
const IMPOSSIBLE = process.platform === "win32" ? /[:\\]|\xf4\x8f\xbf\xbf/ : undefined;

/** False for a name that no file of this system can have; the archive is from another system then. */
export function isPossible(name: EntryName): boolean {
  return IMPOSSIBLE?.test(name) !== true;
}

/** A name for output; bytes that are not valid UTF-8 become escapes such as `\xff`. */
export function shownName(name: EntryName): string {
  if (ASCII.test(name)) return name;
  const text = listedName(name);
  return text.includes("\ufffd") ? name.replaceAll(CHARACTER_OR_BYTE, shownPart) : text;
}

/** A name as Node.js lists it; invalid UTF-8 becomes U+FFFD. */
export function listedName(name: EntryName): string {
  return ASCII.test(name) ? name : Buffer.from(name, "latin1").toString("utf8");
}

/** The bytes of a character beyond ASCII (RFC 3629, section 4), or else one byte that is part of none. */
const CHARACTER_OR_BYTE =
  /[\xc2-\xdf][\x80-\xbf]|(?:\xe0[\xa0-\xbf]|\xed[\x80-\x9f]|[\xe1-\xec\xee\xef][\x80-\xbf])[\x80-\xbf]|(?:\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])[\x80-\xbf]{2}|[\x80-\xff]/g;

const shownPart = (part: EntryName): string =>
  part.length === 1 ? `\\x${part.charCodeAt(0).toString(16)}` : listedName(part);

/** Converts text to the form of a name. */
export function nameFromText(text: string): EntryName {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** Name of the parent directory of an entry; empty for the archived directory. */
export function parentOf(name: EntryName): EntryName {
  return name.slice(0, Math.max(0, name.lastIndexOf("/")));
}

/**
 * True for names that the stock `sqlite3 -Ax` skips silently: it treats every `..` before a slash or backslash as a way
 * out of the directory (`name NOT GLOB '*..[/\]*'`), even at the end of a longer name.
 */
export function isSkippedBySqlite(name: EntryName): boolean {
  return /\.\.[/\\]/.test(name);
}

/** A note about these entries for users of the stock program; null if it extracts everything. */
export function skippedEntriesNote(passedOver: BoundedList): string | null {
  return passedOver.count === 0
    ? null
    : `The stock "sqlite3 -Ax" does not extract ${countText(passedOver.count, "entry", "entries")} with ".." before a slash or backslash: ${passedOver.list().join(", ")}. The archive contains all entries; "perdura-migrate states --extract DIR ARCHIVE" extracts them`;
}
