import { valueOf } from "@perdura/cli/option_table.js";
import { limitsAmong, type Range } from "@perdura/internals/metrics/time_range.js";
import { rangeText, shownRange } from "@perdura/summary/shown_range.js";
import type { Arguments } from "./table.ts";

/** The range of `--since` and `--until`; undefined without both. */
export function rangeOf(given: Arguments): Range | undefined {
  return limitsAmong({ since: valueOf(given, "since"), until: valueOf(given, "until") });
}

/** The range in a sentence, with a blank before it; empty for all interactions. */
export function inRange(range: Range | undefined): string {
  const shown = shownRange(range);
  return shown === null ? "" : ` ${rangeText(shown)}`;
}
