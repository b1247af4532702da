import { stringWidth } from "./string_width.ts";

/**
 * Text without characters that take no or two columns, or that belong to the one before them. Almost all text of programs
 * is of this kind, and the data of Unicode take longer to load than a small command needs.
 */
const PLAIN = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027]*$/;

let graphemes: Intl.Segmenter | undefined;

/** Width of a line in terminal columns; colours have no width. */
export function displayWidth(line: string): number {
  return PLAIN.test(line) ? line.length : stringWidth()(line);
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
  if (PLAIN.test(text)) return [...text];
  graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return [...graphemes.segment(text)].map(({ segment }) => segment);
}

/** The first characters that fit; the text must be wider than `width`. */
function charactersWithin(characters: readonly string[], width: number): string[] {
  let room = width;
  return characters.slice(
    0,
    characters.findIndex((character) => (room -= displayWidth(character)) < 0),
  );
}
