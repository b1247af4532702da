/** Longest text of one side of a difference in a report, in characters. */
const LIMIT = 4000;
/** How much is shown before the place where two long texts part. */
const BEFORE = 200;

/**
 * Two texts as a report shows them: long ones from shortly before the place where they part, and such that look the
 * same but are not (composed and combined letters) with their code units in ASCII.
 */
export function contrast(wanted: string, got: string): { wanted: string; got: string } {
  if (wanted !== got && wanted.normalize("NFC") === got.normalize("NFC"))
    return contrast(inAscii(wanted), inAscii(got));
  if (wanted.length <= LIMIT && got.length <= LIMIT) return { wanted, got };
  let parting = 0;
  while (parting < wanted.length && wanted[parting] === got[parting]) parting += 1;
  const start = Math.max(0, parting - BEFORE);
  return { wanted: cut(wanted, start), got: cut(got, start) };
}

function cut(text: string, start: number): string {
  if (text.length <= LIMIT) return text;
  const from = Math.min(start, text.length - BEFORE);
  const end = from + LIMIT;
  return `${from === 0 ? "" : "…"}${text.slice(from, end)}${end < text.length ? "…" : ""} (${text.length} characters)`;
}

function inAscii(text: string): string {
  return text.replace(/[^\u0000-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
