/** One member of a JSON object as it stands in the text. */
export interface Member {
  key: string;
  /** `"key": value`, character for character. */
  text: string;
}

/**
 * Cuts the text of a JSON object into its members, so that what has no column can be kept as it was written: `1.0` stays
 * `1.0`, big numbers stay exact, escapes stay escapes. The text is known to be valid JSON.
 */
export function membersOf(text: string): Member[] {
  const members: Member[] = [];
  let depth = 0;
  let start = 0;
  const take = (end: number): void => {
    const member = text.slice(start, end).trim();
    if (member !== "") members.push({ key: keyOf(member), text: member });
    start = end + 1;
  };
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case BRACE:
      case BRACKET:
        depth += 1;
        if (depth === 1) start = at + 1;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        if (depth === 1) take(at);
        depth -= 1;
        break;
      case COMMA:
        if (depth === 1) take(at);
    }
  }
  return members;
}

const [QUOTE, COMMA, BRACE, CLOSING_BRACE, BRACKET, CLOSING_BRACKET] = [0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d];

function keyOf(member: string): string {
  const end = endOfString(member, 0);
  const key = member.slice(1, end);
  return key.includes("\\") ? (JSON.parse(member.slice(0, end + 1)) as string) : key;
}

/** The index of the closing quote of the string that opens at `start`; -1 where it does not end. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  // A quotation mark after an odd number of backslashes is part of the string.
  while (text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

const BACKSLASH = 0x5c;

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
