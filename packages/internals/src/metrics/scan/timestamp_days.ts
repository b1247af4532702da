import type { Database, Statement } from "../../sqlite/open_database.ts";
import { DAY } from "../trends/time_sql.ts";

const [ZERO, COLON, SPACE] = [0x30, 0x3a, 0x20];

/** Returns the day of timestamps as {@link DAY} does, for many rows: SQLite reads each day once, and each unusual text. */
export function daysOfTimestamps(database: Database): (timestamp: unknown) => string | null {
  const dayOf = database.prepare(`SELECT ${DAY} FROM (SELECT ? AS timestamp)`).pluck() as Statement<
    [unknown],
    string | null
  >;
  const known = new Map<string, string | null>();
  return (timestamp) => {
    if (timestamp === null) return null;
    if (typeof timestamp !== "string" || !hasOrdinaryTime(timestamp)) return dayOf.get(timestamp) ?? null;
    const date = timestamp.slice(0, 10);
    let day = known.get(date);
    if (day === undefined) known.set(date, (day = dayOf.get(date) ?? null));
    return day;
  };
}

/** True for text that ends as `CURRENT_TIMESTAMP` does, after ten characters: a space and a time of a day. */
function hasOrdinaryTime(text: string): boolean {
  const number = (at: number): number => {
    const [tens, ones] = [text.charCodeAt(at) - ZERO, text.charCodeAt(at + 1) - ZERO];
    return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? 10 * tens + ones : 99;
  };
  return (
    text.length === 19 &&
    text.charCodeAt(10) === SPACE &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON &&
    number(11) <= 23 &&
    number(14) <= 59 &&
    number(17) <= 59
  );
}
