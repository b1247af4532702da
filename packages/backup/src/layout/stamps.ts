import { type Clock, readClock } from "@perdura/internals/text/timestamps.js";

/** Microseconds since 1970, UTC: fine enough that two backups rarely want the same. */
export type Microseconds = bigint;

/** The time now, finer than the clock tells it. */
export function timeNow(clock: Clock): Microseconds {
  return BigInt(readClock(clock).getTime()) * 1000n + ((process.hrtime.bigint() / 1000n) % 1000n);
}

/** As in keys, where the order of the text is that of the times: `20261122T164310.123456Z`. */
export function stampOf(time: Microseconds): string {
  return isoOf(time).replaceAll(/[-:]/g, "");
}

/** `2026-11-22T16:43:10.123456Z` */
export function isoOf(time: Microseconds): string {
  const seconds = new Date(Number(time / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${(time % 1_000_000n).toString().padStart(6, "0")}Z`;
}

const STAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{6})Z$/;

/** Undefined for what {@link stampOf} does not make. */
export function timeOf(stamp: string): Microseconds | undefined {
  const match = STAMP.exec(stamp);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction] = match as unknown as string[];
  const milliseconds = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(milliseconds) || milliseconds < 0) return undefined;
  const time = BigInt(milliseconds) * 1000n + BigInt(fraction as string);
  // The 31st of February would be in March.
  return stampOf(time) === stamp ? time : undefined;
}
