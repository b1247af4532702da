import { type Clock, readClock } from "@perdura/internals/text/timestamps.js";

/** Microseconds since 1970, UTC: so fine that two backups rarely have the same time. */
export type Microseconds = bigint;

/** The current time, finer than the resolution of the clock. */
export function timeNow(clock: Clock): Microseconds {
  return BigInt(readClock(clock).getTime()) * 1000n + ((process.hrtime.bigint() / 1000n) % 1000n);
}

/** The time in keys, whose text order is the order of the times: `20261122T164310.123456Z`. */
export function stampOf(time: Microseconds): string {
  return isoOf(time).replaceAll(/[-:]/g, "");
}

/** `2026-11-22T16:43:10.123456Z` */
export function isoOf(time: Microseconds): string {
  const seconds = new Date(Number(time / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${(time % 1_000_000n).toString().padStart(6, "0")}Z`;
}

const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{6})Z$/;

/** Reads a stamp; undefined for text that {@link stampOf} does not produce. */
export function timeOf(stamp: string): Microseconds | undefined {
  const match = STAMP.exec(stamp);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction] = match as unknown as string[];
  const milliseconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(milliseconds) || milliseconds < 0) return undefined;
  const time = BigInt(milliseconds) * 1000n + BigInt(fraction as string);
  // `Date.parse` would accept the 31st of February as a day in March.
  return stampOf(time) === stamp ? time : undefined;
}
