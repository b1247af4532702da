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
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "{" || character === "[") {
      depth += 1;
      if (depth === 1) start = at + 1;
    } else if (character === "}" || character === "]") {
      if (depth === 1) take(at);
      depth -= 1;
    } else if (character === "," && depth === 1) take(at);
  }
  return members;
}

function keyOf(member: string): string {
  const end = endOfString(member, 0);
  const key = member.slice(1, end);
  return key.includes("\\") ? (JSON.parse(member.slice(0, end + 1)) as string) : key;
}

/** The index of the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
