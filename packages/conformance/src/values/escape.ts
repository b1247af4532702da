const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\p{Cs}/gu;

/**
 * Text from an implementation or a file, made safe for a terminal: control characters, direction overrides and
 * lone surrogates are shown as `\uXXXX`, so that data can neither colour, hide nor forge a line of a report.
 */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A value as JSON over several lines. What would command a terminal becomes JSON escapes, which changes no value. */
export function jsonText(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split("\n");
  return `${lines.map(escapeControls).join("\n")}\n`;
}

/** A value in one line for a report, cut at `limit` characters. `undefined` reads as "nothing". */
export function show(value: unknown, limit = 400): string {
  if (value === undefined) return "nothing";
  const text = escapeControls(JSON.stringify(value) ?? String(value));
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}
