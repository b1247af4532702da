import { stripVTControlCharacters } from "node:util";

/** Characters that take two columns: East Asian wide and full-width forms, and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Characters that take none of their own. */
const COMBINING = /[\p{Mn}\p{Me}]/u;
/** Such characters whose own letter was cut off. */
const LEFT_OVER = /^[\p{Mn}\p{Me}]+/u;

/** How many columns of a terminal a line takes; colours take none. */
export function displayWidth(line: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(line)) width += columnsOf(character);
  return width;
}

/** The beginning of a text that fits into `width` columns, with … where something is missing. */
export function cutEnd(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${taken([...text], width - 1).join("")}…`;
}

/** The end of a text that fits: of a path that is the file's name. */
export function cutBeginning(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const end = taken([...text].toReversed(), width - 1)
    .toReversed()
    .join("");
  return `…${end.replace(LEFT_OVER, "")}`;
}

/** Of characters that take more columns than there are, those that fit. */
function taken(characters: readonly string[], width: number): string[] {
  let room = width;
  return characters.slice(
    0,
    characters.findIndex((character) => (room -= columnsOf(character)) < 0),
  );
}

function columnsOf(character: string): number {
  if (COMBINING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
