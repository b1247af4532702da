import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Names } from "./names.ts";

/**
 * Functions for the time of an interaction (ruling U-trends), which is text that any program may have written: with a
 * space or a T, a fraction, a zone. They return null for other text, and never fail. They accept the same texts as
 * SQLite's `strftime`, which takes the 31st of a shorter month for a day of the next month.
 */
export function timeFunctions(names: Names): string[] {
  return [moment(names), day(names), period(names)];
}

const twoDigits = (from: number, to: number): string =>
  `(${Array.from({ length: to - from + 1 }, (_, index) => sqlText(String(from + index).padStart(2, "0"))).join(", ")})`;

/** Last days of months, which {@link IS_PLAIN} accepts in addition to the first 28. */
const LAST_DAYS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].flatMap((month) =>
  [29, 30, 31]
    .filter((date) => new Date(Date.UTC(2001, month - 1, date)).getUTCMonth() === month - 1)
    .map((date) => sqlText(`${String(month).padStart(2, "0")}-${date}`)),
);

/**
 * Conditions for a time of this century without a zone, which is the usual form; text after the seconds is not checked.
 * Comparisons with lists of texts are several times faster than a regular expression, and this runs for each row.
 */
const EXISTS = `substr(given, 3, 2) IN ${twoDigits(0, 99)} AND substr(given, 6, 2) IN ${twoDigits(1, 12)}
      AND (substr(given, 9, 2) IN ${twoDigits(1, 28)} OR substr(given, 6, 5) IN (${LAST_DAYS.join(", ")}))
      AND substr(given, 12, 2) IN ${twoDigits(0, 23)}
      AND substr(given, 15, 2) IN ${twoDigits(0, 59)} AND substr(given, 18, 2) IN ${twoDigits(0, 59)}`;
const IS_PLAIN = `given LIKE '20__-__-__ __:__:__' AND ${EXISTS}`;
/** In the form of other programs, with a T or a fraction. */
const IS_ISO = `(given LIKE '20__-__-__T__:__:__%' OR given LIKE '20__-__-__ __:__:__.%') AND ${EXISTS}
      AND (octet_length(given) = 19 OR (octet_length(given) > 20 AND rtrim(substr(given, 20), '0123456789') = '.'))`;

/** The day in UTC, `YYYY-MM-DD`. PostgreSQL inlines this function, because it is written in SQL. */
function day(names: Names): string {
  return `CREATE OR REPLACE FUNCTION ${names.day}(given text) RETURNS text LANGUAGE sql IMMUTABLE AS ${sqlText(
    `SELECT CASE WHEN ${IS_PLAIN} THEN substr(given, 1, 10) WHEN ${IS_ISO} THEN substr(given, 1, 10)
      ELSE substr(${names.moment}(given), 1, 10) END`,
  )}`;
}

const SPACE = String.raw` \t\n\v\f\r`;
const NOTATION = [
  `^([0-9]{4})-([0-9]{2})-([0-9]{2})[${SPACE}T]*`,
  String.raw`(?:([0-9]{2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]+)?)?`,
  `[${SPACE}]*(?:[zZ]|([+-])([0-9]{2}):([0-9]{2}))?[${SPACE}]*)?$`,
].join("");

/**
 * The moment in UTC, `YYYY-MM-DDTHH:MM:SS.fff`, of any text of the years 1 to 9999. A zone may lead into the year 0, which PostgreSQL does not have, so 400
 * years are added, after which the calendar repeats. The fraction is rounded to milliseconds, but never up to the next
 * second.
 */
function moment(names: Names): string {
  return `CREATE OR REPLACE FUNCTION ${names.moment}(given text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT AS ${sqlText(`
    DECLARE
      fields text[];
      hours integer;
      minutes integer;
      seconds integer;
      east integer;
      here timestamp;
      utc timestamp;
    BEGIN
      IF ${IS_PLAIN} THEN
        RETURN substr(given, 1, 10) || 'T' || substr(given, 12, 8) || '.000';
      END IF;
      fields := regexp_match(given, ${sqlText(NOTATION)});
      hours := coalesce(fields[4], '0');
      minutes := coalesce(fields[5], '0');
      seconds := coalesce(fields[6], '0');
      east := CASE fields[8] WHEN '-' THEN -1 ELSE 1 END;
      IF fields IS NULL OR fields[1] = '0000' OR fields[2]::integer NOT BETWEEN 1 AND 12 OR fields[3]::integer NOT BETWEEN 1 AND 31
        OR hours > 24 OR minutes > 59 OR seconds > 59 OR (hours = 24 AND (minutes > 0 OR seconds > 0 OR fields[7] ~ '[1-9]'))
        OR fields[9]::integer > 14 OR fields[10]::integer > 59 THEN
        RETURN NULL;
      END IF;
      here := make_timestamp(fields[1]::integer + 400, fields[2]::integer, 1, 0, 0, 0)
        + make_interval(days => fields[3]::integer - 1, hours => hours, mins => minutes, secs => seconds);
      utc := here - east * make_interval(
        hours => coalesce(fields[9], '0')::integer, mins => coalesce(fields[10], '0')::integer);
      IF extract(year FROM greatest(here, utc)) > 10399 THEN
        RETURN NULL;
      END IF;
      RETURN lpad((extract(year FROM utc)::integer - 400)::text, 4, '0') || to_char(utc, '-MM-DD"T"HH24:MI:SS') || '.'
        || lpad(least(999, round(('0' || left(coalesce(fields[7], ''), 20))::numeric * 1000))::text, 3, '0');
    END`)}`;
}

/** The start of the period of a moment or a day. In a trend by hours, the period of a day is only used for sorting. */
function period(names: Names): string {
  const number = (from: number, length: number): string => `substr(given, ${from}, ${length})::integer`;
  const date = `make_date(${number(1, 4)} + 400, ${number(6, 2)}, ${number(9, 2)})`;
  const monday = `(${date} - (extract(isodow FROM ${date})::integer - 1))`;
  return `CREATE OR REPLACE FUNCTION ${names.period}(bucket text, given text) RETURNS text LANGUAGE sql STABLE AS ${sqlText(
    `SELECT CASE bucket WHEN 'hour' THEN substr(given, 1, 13) || ':00:00' WHEN 'day' THEN substr(given, 1, 10)
      WHEN 'month' THEN substr(given, 1, 7) || '-01'
      ELSE lpad((extract(year FROM ${monday})::integer - 400)::text, 4, '0') || to_char(${monday}::timestamp, '-MM-DD') END`,
  )}`;
}
