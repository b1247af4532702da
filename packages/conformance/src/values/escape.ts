const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Cs}/gu;

/**
 * Escapes text from an implementation or a file for a terminal: control characters, direction overrides and lone
 * surrogates become `\uXXXX`, so that data cannot colour, hide or forge a line of a report.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * A value as JSON over several lines. Characters that control a terminal become JSON escapes, which do not change the
 * value.
 */
export function jsonText(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split("\n");
  return `${lines.map(escapeControls).join("\n")}\n`;
}

/** A value in one line for a report, cut to `limit` characters. `undefined` becomes "nothing". */
export function show(value: unknown, limit = 400): string {
  if (value === undefined) return "nothing";
  const text = escapeControls(JSON.stringify(value) ?? String(value));
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}

const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/**
 * Escapes text for XML and HTML, in elements and in quoted attributes: markup becomes entities, control characters and
 * direction overrides become `\uXXXX`, and other characters that XML 1.0 forbids are removed.
 * @example markupText('</script>\u202e') // "&lt;/script&gt;\\u202e"
 */
export function markupText(text: string): string {
  return escapeControls(text)
    .replace(NOT_XML, "")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** A word for a shell; in double quotes where these change nothing, as a person would write it. */
export function shellWord(word: string): string {
  return /[$`\\"!]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : `"${word}"`;
}
