import { isUtf8 } from "node:buffer";
import { isPerduraError, JSONDecodeError } from "@perdura/internals/errors/errors.js";
import { isAppleDouble } from "@perdura/internals/files/apple_double.js";
import { hasOtherSpelling } from "@perdura/internals/files/exact_names.js";
import { readWhole } from "@perdura/internals/files/read_bytes.js";
import { decodeJson, parseJsonText } from "@perdura/internals/json/decode.js";
import { isPlainObject, isRawNumber } from "@perdura/internals/json/values.js";
import { digestName, ID_SUFFIX, isDigestName, STATE_SUFFIX, userIdOf } from "@perdura/internals/state/file_names.js";
import { fillFromLegacyKeys, LEGACY_KEYS, roundTypedFields } from "@perdura/internals/state/state_document.js";
import { writtenUserId } from "@perdura/internals/state/written_user_id.js";
import { describe } from "@perdura/internals/text/describe.js";
import { faultyStateFields } from "@perdura/internals/validity/state_problems.js";
import { type EntryName, nameFromText, pathBelow, shownName } from "../tree/entry_name.ts";
import { type Entry, entryAt } from "../tree/walk_tree.ts";

/** Reads the content of a file next to a state, from a directory or an archive; undefined if it does not exist. */
export type Companion = (name: EntryName) => Buffer | undefined;

/**
 * True for a file that a state manager reads as a state: a file or link directly in the directory whose name ends in
 * `.json`.
 */
export function isStateFile({ name, kind }: Pick<Entry, "name" | "kind">): boolean {
  return kind !== "directory" && name.endsWith(STATE_SUFFIX) && !name.includes("/");
}

/** True for a state file with its content; false for a file in which macOS keeps attributes of one. */
export function isState(entry: Pick<Entry, "name" | "kind">, content: Buffer | null | undefined): content is Buffer {
  return content !== null && content !== undefined && isStateFile(entry) && !isAppleDouble(entry.name, content);
}

/**
 * The user that a state file stands for, as bytes in the form of a name: the name of a legacy file need not be UTF-8.
 *
 * @param written Reads the `user_id` of the document.
 * @param ignoresCase True if another spelling of the name leads to a file. The entries of an archive have one spelling.
 */
export function userOf(
  file: EntryName,
  companion: Companion,
  written: () => unknown,
  ignoresCase: () => boolean = () => false,
): EntryName {
  const stem = file.slice(0, -STATE_SUFFIX.length);
  const text = shownName(stem);
  if (nameFromText(text) !== stem) return stem;
  return nameFromText(isDigestName(text) ? (longId(text, companion) ?? text) : userIdOf(text, written, ignoresCase));
}

/**
 * The user that a file in a directory stands for.
 *
 * @param content Reads the file; undefined for a file that is not a state.
 */
export function userInDirectory(
  directory: string,
  file: EntryName,
  companion: Companion,
  content: () => Buffer | undefined,
): EntryName {
  const path = pathBelow(directory, file);
  const written = (): unknown => {
    const bytes = content();
    return bytes === undefined ? undefined : writtenUserId(bytes, String(path));
  };
  return userOf(file, companion, written, () => typeof path === "string" && hasOtherSpelling(path));
}

/** The id of a user, from the separate file next to the state that stores an id that is too long for a file name. */
function longId(stem: string, companion: Companion): string | undefined {
  const id = companion(`${stem}${ID_SUFFIX}`)?.toString("utf8");
  return id !== undefined && digestName(id) === stem ? id : undefined;
}

/** Far more than any user id; a bigger file is something else. */
const MAX_ID_BYTES = 1 << 20;

/** Reads the companion files of states from the directory. */
export function directoryCompanion(root: string): Companion {
  return (name) => {
    const entry = entryAt(root, name);
    return entry?.kind === "file" && entry.size <= MAX_ID_BYTES ? readWhole(pathBelow(root, name)) : undefined;
  };
}

/** The fields of specification section 2.8 as columns; null if the file has no value that fits. */
export interface StateColumns {
  trust_level: number | null;
  current_level: number | null;
  target_level: number | null;
  interaction_count: number | null;
  success_count: number | null;
  failure_count: number | null;
  last_interaction: string | null;
  created_at: string | null;
}

/** The columns of a state file in the table of states. */
export interface StateReading {
  columns: StateColumns;
  /** Members without a column, as a JSON object with unchanged values; null without such members. */
  extra: string | null;
  status: "ok" | "broken";
  /** Reason of `broken`; for `ok`, unusual values in the file. */
  reason: string | null;
}

type Field = keyof StateColumns;

/** Checks that return true for a value that fits the column of a field. */
const FITS: Record<Field, (value: unknown) => boolean> = {
  trust_level: Number.isFinite,
  current_level: Number.isSafeInteger,
  target_level: Number.isSafeInteger,
  interaction_count: Number.isSafeInteger,
  success_count: Number.isSafeInteger,
  failure_count: Number.isSafeInteger,
  last_interaction: isText,
  created_at: isText,
};

/** In the order of the table's columns. */
export const noColumns = (): StateColumns => ({
  trust_level: null,
  current_level: null,
  target_level: null,
  interaction_count: null,
  success_count: null,
  failure_count: null,
  last_interaction: null,
  created_at: null,
});

const FIELDS = Object.keys(noColumns()) as Field[];
const KNOWN_KEYS: readonly string[] = FIELDS.flatMap(keysOf);

/** The specification's key of a field, then its legacy key. */
function keysOf(field: Field): string[] {
  return field in LEGACY_KEYS ? [field, LEGACY_KEYS[field as keyof typeof LEGACY_KEYS]] : [field];
}

/** SQLite holds UTF-8: a lone surrogate would silently become another character, so such a text stays in `extra`. */
function isText(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed() && !value.includes("\0");
}

/**
 * Reads a state file. Every value that does not fit its column stays in `extra`, so nothing is lost or converted.
 *
 * @param userId The user that the file name stands for; it counts, not the id inside of the file.
 */
export function readState(bytes: Buffer, userId: string, path: string): StateReading {
  let text: string;
  let document: unknown;
  try {
    text = textOf(bytes, path);
    // `NaN` and `Infinity` fit no column, so they stay unchanged in `extra` (SQLite's JSON functions accept them).
    document = parseJsonText(text, () => path, "null");
  } catch (error) {
    if (error instanceof JSONDecodeError) return brokenState(`line ${error.line}:${error.column}: ${error.reason}`);
    return brokenState(isPerduraError(error) ? error.reason : (error as Error).message);
  }
  if (!isPlainObject(document)) return brokenState(`expected a JSON object, found ${shown(document)}`);
  const used = document["user_id"] === userId ? ["user_id"] : [];
  const columns = noColumns();
  for (const field of FIELDS) columns[field] = takeField(document, field, used) as never;
  const unusual = unusualValues(document, userId, used);
  let rest = "";
  for (const { key, text: member } of membersOf(text))
    if (!used.includes(key)) rest += rest === "" ? member : `, ${member}`;
  return {
    columns,
    extra: rest === "" ? null : `{${rest}}`,
    status: "ok",
    reason: unusual.length === 0 ? null : unusual.join("; "),
  };
}

/** Removes a byte order mark, which is not part of the text. */
function textOf(bytes: Buffer, path: string): string {
  if (!isUtf8(bytes)) decodeJson(bytes, path);
  const text = bytes.toString("utf8");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

/** Returns the value of the first key whose value fits; the others stay in `extra`. */
function takeField(document: Record<string, unknown>, field: Field, used: string[]): unknown {
  for (const key of keysOf(field)) {
    if (!Object.hasOwn(document, key) || !FITS[field](document[key])) continue;
    used.push(key);
    return document[key];
  }
  return null;
}

/** Values that version 15 refuses to load, and those that fit no column. All of them are kept unchanged. */
function unusualValues(document: Record<string, unknown>, userId: string, used: readonly string[]): string[] {
  const loaded = { ...document };
  roundTypedFields(loaded);
  fillFromLegacyKeys(loaded);
  const faulty = faultyStateFields(loaded);
  const has = (key: string): boolean => Object.hasOwn(document, key);
  const differs = has("user_id") && document["user_id"] !== userId && !faulty.includes("user_id");
  const unfit = KNOWN_KEYS.filter((key) => has(key) && !used.includes(key) && document[key] !== null);
  const fields = new Set([...(differs ? ["user_id"] : []), ...faulty, ...unfit]);
  // The tokens NaN and Infinity were read as null.
  return [...fields].map((key) => {
    if (!has(key)) return `${key} is missing`;
    return `${key} is ${document[key] === null ? "null, NaN or infinite" : shown(document[key])}`;
  });
}

/** A value for a message; a number that JavaScript cannot represent is shown as written, cut if it is very long. */
function shown(value: unknown): string {
  return isRawNumber(value) ? cut(value.rawJSON) : describe(value);
}

function cut(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Maximum number of characters of a number in a message. */
const LONGEST = 60;

/** A file that is not a state; only its bytes are kept. */
export function brokenState(reason: string): StateReading {
  return { columns: noColumns(), extra: null, status: "broken", reason };
}

/** One member of a JSON object, as source text. */
interface Member {
  key: string;
  /** `"key": value`, verbatim. */
  text: string;
}

/**
 * Splits the text of a JSON object into its members, so that values without a column are kept verbatim: `1.0` stays
 * `1.0`, big numbers stay exact, escapes stay escapes. The text must be valid JSON.
 */
export function membersOf(text: string): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let start = 0;
  const take = (end: number): void => {
    const member = text.slice(start, end).trim();
    if (member !== "") members.push({ key: keyOf(member), text: member });
    start = end + 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case BRACE:
      case BRACKET:
        depth += 1;
        if (depth === 1) start = at + 1;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        if (depth === 1) take(at);
        depth -= 1;
        break;
      case COMMA:
        if (depth === 1) take(at);
    }
  }
  return members;
}

const [QUOTE, COMMA, BRACE, CLOSING_BRACE, BRACKET, CLOSING_BRACKET] = [0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d];

function keyOf(member: string): string {
  const end = endOfString(member, 0);
  const key = member.slice(1, end);
  return key.includes("\\") ? (JSON.parse(member.slice(0, end + 1)) as string) : key;
}

/** Index of the closing quote of the string that opens at `start`; -1 if it does not end. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  // A quotation mark after an odd number of backslashes is part of the string.
  while (text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

const BACKSLASH = 0x5c;

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
