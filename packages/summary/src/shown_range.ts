import { ALWAYS, type Range } from "@perdura/internals/metrics/time_range.js";
import type { ShownRange } from "./document.ts";

/** A range as documents have it; null without limits. */
export function shownRange(range: Range | undefined): ShownRange | null {
  if (range === undefined) return null;
  return {
    since: range.since === ALWAYS.since ? null : range.since,
    until: range.until === ALWAYS.until ? null : range.until,
  };
}

/** `from 2026-11-22 to before 2026-11-29`; the time of day only where it is not midnight. */
export function rangeText({ since, until }: ShownRange): string {
  const parts = [
    ...(since === null ? [] : [`from ${momentText(since)}`]),
    ...(until === null ? [] : [`${since === null ? "" : "to "}before ${momentText(until)}`]),
  ];
  return parts.join(" ");
}

const momentText = (moment: string): string => moment.replace(/T00:00:00\.000$/, "").replace(/\.000$/, "");
