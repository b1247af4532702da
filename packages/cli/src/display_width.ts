import stringWidth from "string-width";

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Width of a line in terminal columns; colours have no width. */
export function displayWidth(line: string): number {
  return stringWidth(line);
}

/** The beginning of a text that fits into `width` columns, with … if it was cut. */
export function cutEnd(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${charactersWithin(charactersOf(text), width - 1).join("")}…`;
}

/** The end of a text that fits into `width` columns, with … if it was cut; for a path, it contains the file name. */
export function cutBeginning(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const end = charactersWithin(charactersOf(text).toReversed(), width - 1).toReversed();
  return `…${end.join("")}`;
}

/** Splits a text into what a reader sees as characters. */
function charactersOf(text: string): string[] {
  return [...GRAPHEMES.segment(text)].map(({ segment }) => segment);
}

/** The first characters that fit; the text must be wider than `width`. */
function charactersWithin(characters: readonly string[], width: number): string[] {
  let room = width;
  return characters.slice(
    0,
    characters.findIndex((character) => (room -= displayWidth(character)) < 0),
  );
}
