import stringWidth from "string-width";

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns of a terminal that a line takes; colours take none. */
export function displayWidth(line: string): number {
  return stringWidth(line);
}

/** The beginning of a text that fits into `width` columns, with … where something is missing. */
export function cutEnd(text: string, width: number): string {
  return displayWidth(text) <= width ? text : `${taken(charactersOf(text), width - 1).join("")}…`;
}

/** The end of a text that fits: of a path that is the file's name. */
export function cutBeginning(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const end = taken(charactersOf(text).toReversed(), width - 1).toReversed();
  return `…${end.join("")}`;
}

/** What a reader takes for one character stays in one piece. */
function charactersOf(text: string): string[] {
  return [...GRAPHEMES.segment(text)].map(({ segment }) => segment);
}

/** Of characters that take more columns than there are, those that fit. */
function taken(characters: readonly string[], width: number): string[] {
  let room = width;
  return characters.slice(
    0,
    characters.findIndex((character) => (room -= displayWidth(character)) < 0),
  );
}
