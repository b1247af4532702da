import { invalid } from "./refusal.ts";

/** What the header `Content-Range` of a request to an upload's session says. */
export interface ContentRange {
  /** Undefined where it only asks what is there. */
  first: number | undefined;
  /** Undefined where the body is as long as it turns out to be. */
  last: number | undefined;
  /** Undefined where the sender does not know it yet. */
  total: number | undefined;
}

export function contentRangeOf(header: string | undefined): ContentRange {
  // Without it the body is the whole object.
  if (header === undefined) return { first: 0, last: undefined, total: undefined };
  const [, first, last, total] = /^bytes (?:\*|(\d{1,15})-(\d{1,15}|\*))\/(\d{1,15}|\*)$/.exec(header) ?? [];
  if (total === undefined) throw invalid(`Failed to parse Content-Range header: ${header}`);
  const range = { first: numberOf(first), last: numberOf(last), total: numberOf(total) };
  const { first: from, last: to, total: all } = range;
  if ((from ?? 0) > (to ?? Infinity) || (all !== undefined && Math.max(from ?? 0, (to ?? -1) + 1) > all))
    throw invalid(`Failed to parse Content-Range header: ${header}`);
  return range;
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === "*" ? undefined : Number(text);
}
