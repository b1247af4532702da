import { invalid } from "./refusal.ts";

/** The header `Content-Range` of a request to an upload session. */
export interface ContentRange {
  /** Undefined for a status request. */
  first: number | undefined;
  /** Undefined if the length of the body is open. */
  last: number | undefined;
  /** Undefined if the sender does not know it yet. */
  total: number | undefined;
}

export function contentRangeOf(header: string | undefined): ContentRange {
  // Without the header, the body is the whole object.
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
