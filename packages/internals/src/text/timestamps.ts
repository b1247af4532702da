import { runCallerCode } from "../errors/caller_errors.ts";
import { ValidationError } from "../errors/errors.ts";
import { describe } from "./describe.ts";

/**
 * Timestamps are stored as text: ISO 8601 without a time zone, with up to six fractional digits, verbatim
 * (specification, section 2.1; ruling U-timestamps). A JavaScript `Date` would lose the microseconds.
 */

/** A source of the current time. Pass your own clock to get reproducible records. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/**
 * True for `YYYY-MM-DDTHH:MM:SS[.f{1,6}]` (or a space instead of the T) that exists in the calendar. Written without a
 * regular expression, which would be several times slower: it is called for each timestamp of a library.
 */
export function isTimestamp(text: string): boolean {
  if (text.length < 19 || !hasSeparators(text) || !isFraction(text)) return false;
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = month === 2 && leap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  return (
    year >= 1 &&
    year < NO_DIGITS &&
    day >= 1 &&
    day <= days &&
    twoDigits(text, 11) <= 23 &&
    twoDigits(text, 14) <= 59 &&
    twoDigits(text, 17) <= 59
  );
}

function hasSeparators(text: string): boolean {
  const between = text.charCodeAt(10);
  return (
    text.charCodeAt(4) === DASH &&
    text.charCodeAt(7) === DASH &&
    (between === 0x54 || between === 0x20) &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON
  );
}

const DASH = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;

/** True for an empty fraction, or a point with one to six digits. */
function isFraction(text: string): boolean {
  if (text.length === 19) return true;
  if (text.length < 21 || text.length > 26 || text.charCodeAt(19) !== POINT) return false;
  for (let at = 20; at < text.length; at += 1) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/**
 * Result for two characters that are not digits: larger than every bound. NaN or infinity would turn the calculation
 * into floating-point numbers, which are slower.
 */
const NO_DIGITS = 10_000;

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 0x30;
  const ones = text.charCodeAt(at + 1) - 0x30;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : NO_DIGITS;
}

/** Description of a timestamp for error messages. */
export const TIMESTAMP_TEXT = "a zone-less ISO 8601 timestamp (YYYY-MM-DDTHH:MM:SS, up to six fractional digits)";

/**
 * Reads a clock.
 *
 * @throws ValidationError if the result is not a moment of the years 1 to 9999.
 */
export function readClock(clock: Clock): Date {
  const now: unknown = runCallerCode(clock);
  const year = now instanceof Date ? now.getUTCFullYear() : Number.NaN;
  if (year >= 1 && year <= 9999) return now as Date;
  throw new ValidationError(
    `expected a function that returns a Date in the years 1 to 9999; it returned ${describe(now)}. Nothing was written.`,
    { argument: "clock" },
  );
}

/** Formats a moment as in pattern documents: `YYYY-MM-DDTHH:MM:SS`, UTC. */
export function documentTimestamp(moment: Date): string {
  return moment.toISOString().slice(0, 19);
}

/** Formats a moment as SQLite's `CURRENT_TIMESTAMP` does: `YYYY-MM-DD HH:MM:SS`, UTC. */
export function sqliteTimestamp(moment: Date): string {
  return documentTimestamp(moment).replace("T", " ");
}

/** Checks that a clock is a function. Its results are checked at each call. */
export function assertClock(clock: unknown): void {
  if (clock === undefined || typeof clock === "function") return;
  throw new ValidationError(`expected a function that returns a Date, got ${describe(clock)}.`, { argument: "clock" });
}
