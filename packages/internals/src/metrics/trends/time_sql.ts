import type { Bucket } from "./trend.ts";

/**
 * SQL for the time of an interaction in a format of `strftime`, in UTC; null if it has no readable time. perdura writes
 * text; other programs may use a T, fractions and zones, or numbers: of Julian days, or of seconds or milliseconds since
 * 1970. Other texts that SQLite accepts as a time (`now`, a time without a date) are not timestamps: they have no hyphen
 * after four characters. Years are 1 to 9999, so that times can be compared as text.
 */
function timeSql(format: string): string {
  const number = `CASE WHEN timestamp BETWEEN ${FIRST_JULIAN_DAY} AND ${LAST_MILLISECOND} THEN
        strftime('${format}', CASE WHEN timestamp < 1e11 THEN timestamp ELSE timestamp / 1000.0 END, 'auto') END`;
  return `CASE typeof(timestamp)
      WHEN 'text' THEN CASE WHEN substr(timestamp, 5, 1) = '-' AND substr(timestamp, 1, 4) >= '0001' THEN strftime('${format}', timestamp) END
      WHEN 'integer' THEN ${number}
      WHEN 'real' THEN ${number}
    END`;
}

/** The first day of the year 1. */
const FIRST_JULIAN_DAY = 1_721_425.5;
/** The last millisecond of the year 9999. */
const LAST_MILLISECOND = 253_402_300_799_999;

/** SQL for the day of an interaction, `YYYY-MM-DD`. */
export const DAY: string = timeSql("%Y-%m-%d");

/** SQL for the moment of an interaction, `YYYY-MM-DDTHH:MM:SS.fff`. */
export const MOMENT: string = timeSql("%Y-%m-%dT%H:%M:%f");

/**
 * SQL that is true for an interaction from one moment on and before another one: the same as comparing {@link MOMENT}, in
 * a fraction of the time. Texts that are spelled as `CURRENT_TIMESTAMP` spells a time compare as their moments do.
 *
 * @param range Name of the range; the limits are parameters; see `rangeNames`.
 */
export function isBetween(range: string): string {
  return `CASE WHEN datetime(timestamp) = timestamp THEN timestamp >= @${range}_from_usual AND timestamp < @${range}_before_usual
      ELSE ${MOMENT} >= @${range}_from AND ${MOMENT} < @${range}_before END`;
}

/** SQL that is true for these interactions and few others, in less time where most are others. */
export function isNear(range: string): string {
  return `(timestamp BETWEEN @${range}_lowest AND @${range}_highest OR typeof(timestamp) <> 'text')`;
}

/** SQL for the start of the period of an interaction. */
export function periodSql(bucket: Bucket): string {
  return bucket === "hour" ? timeSql("%Y-%m-%dT%H:00:00") : periodOfDay(bucket, DAY);
}

/** SQL for the start of the period of a day. */
export function periodOfDay(bucket: Exclude<Bucket, "hour">, day: string): string {
  if (bucket === "week") return `date(${day}, '-6 days', 'weekday 1')`;
  return bucket === "month" ? `strftime('%Y-%m-01', ${day})` : day;
}
