import type { Mismatch } from "./match.ts";

const FORMS: Record<string, { pattern: RegExp; words: string }> = {
  seconds: { pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/, words: "YYYY-MM-DDTHH:MM:SS" },
  local: { pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?$/, words: "YYYY-MM-DDTHH:MM:SS[.ffffff]" },
  sql: { pattern: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?$/, words: "YYYY-MM-DD HH:MM:SS" },
  any: { pattern: /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?$/, words: "an ISO 8601 timestamp" },
};

/** A second is lost where an implementation cuts fractions; clocks of two processes are one clock here. */
const TOLERANCE_MS = 2000;

/**
 * `{"$timestamp": "seconds" | "local" | "sql" | "any", "recent": true}`. `recent` asks for a moment between the
 * beginning of the case and now. The specification names no zone, so zone-less text may be UTC or local time.
 */
export function matchTimestamp(form: string, recent: boolean, began: number, actual: unknown, at: string): Mismatch[] {
  const rule = FORMS[form];
  if (!rule) throw new Error(`$timestamp has no form "${form}"`);
  const fits =
    typeof actual === "string" && rule.pattern.test(actual) && moments(actual).some((moment) => !Number.isNaN(moment));
  if (!fits) return [{ at, wanted: `a timestamp of the form ${rule.words}`, got: actual }];
  const near = moments(actual).some((moment) => moment >= began - TOLERANCE_MS && moment <= Date.now() + TOLERANCE_MS);
  if (recent && !near) return [{ at, wanted: "the current time", got: actual }];
  return [];
}

function moments(text: string): number[] {
  const iso = text.replace(" ", "T");
  return /(Z|[+-]\d\d:?\d\d)$/.test(iso) ? [Date.parse(iso)] : [Date.parse(`${iso}Z`), Date.parse(iso)];
}
