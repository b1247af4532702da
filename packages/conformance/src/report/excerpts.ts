/**
 * What was wanted and what came, each cut at `limit` characters. Where long values begin alike, both are told from
 * shortly before the place where they part.
 */
export function excerpts(
  { wanted, got }: { wanted: string; got: string },
  limit: number,
): [wanted: string, got: string] {
  let same = 0;
  while (same < wanted.length && wanted[same] === got[same]) same += 1;
  // A little of what is the same says where one is.
  const start = same > limit / 4 ? Math.max(0, same - 30) : 0;
  return [excerpt(wanted, start, limit), excerpt(got, start, limit)];
}

function excerpt(text: string, start: number, limit: number): string {
  if (text.length <= limit) return text;
  const end = start + limit < text.length ? `… (${text.length} characters)` : "";
  return `${start > 0 ? "…" : ""}${text.slice(start, start + limit)}${end}`;
}
