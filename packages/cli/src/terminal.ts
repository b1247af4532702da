/**
 * Escapes what a terminal would obey, or not show: names of files and values come from whoever wrote the data. Control
 * characters, line ends, changes of direction, invisible characters, halves of surrogate pairs.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, (character) => {
    const code = (character.codePointAt(0) as number).toString(16).padStart(4, "0");
    return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
  });
}

/** JSON that a terminal does not obey either, nor hides: the escapes mean the same. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const code = character.charCodeAt(index).toString(16).padStart(4, "0");
      return `\\u${code}`;
    }).join(""),
  );
}

/** Where text is written to. */
interface Stream {
  isTTY?: boolean;
  columns?: number;
}

/** Paints text, or does not. */
export interface Paint {
  bold: (text: string) => string;
  good: (text: string) => string;
  bad: (text: string) => string;
}

/**
 * True where text may have colours: NO_COLOR forbids them, FORCE_COLOR asks for them where there is no terminal, and a dumb
 * terminal has none.
 *
 * @param wanted False with --no-color, which comes before all else.
 */
export function hasColour(stream: Stream, wanted: boolean): boolean {
  const { NO_COLOR: forbids = "", FORCE_COLOR: forces } = process.env;
  if (!wanted || forbids !== "" || forces === "0") return false;
  return isAble(stream) || (forces ?? "") !== "";
}

/** Colours where {@link hasColour} allows them. */
export function paintFor(stream: Stream, wanted: boolean): Paint {
  const on = hasColour(stream, wanted);
  const style = (code: number) => (text: string) => (on ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: style(1), good: style(32), bad: style(31) };
}

/** True for a terminal that can do more than print one line after the other. */
export function isAble(stream: Stream): boolean {
  return stream.isTTY === true && process.env["TERM"] !== "dumb";
}

/** Longest line that is still easy to read. */
const WIDEST = 120;

/** How long lines may be: those of a terminal, within reason; without an end elsewhere, where programs read them. */
export function widthOf({ isTTY, columns }: Stream): number {
  return isTTY === true ? Math.max(20, Math.min(columns || 80, WIDEST)) : Infinity;
}
