/**
 * Escapes characters that a terminal would interpret or not show, because file names and values are foreign data:
 * control characters, line ends, direction overrides, invisible characters, lone surrogates.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, (character) => {
    const code = (character.codePointAt(0) as number).toString(16).padStart(4, "0");
    return code.length > 4 ? `\\u{${code}}` : `\\u${code}`;
  });
}

/** JSON without characters that a terminal would interpret or hide; the escapes are equivalent. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const code = character.charCodeAt(index).toString(16).padStart(4, "0");
      return `\\u${code}`;
    }).join(""),
  );
}

/** Output of text. */
interface Stream {
  isTTY?: boolean;
  columns?: number;
}

/** Styles text; without colours, returns it unchanged. */
export interface Paint {
  bold: (text: string) => string;
  good: (text: string) => string;
  bad: (text: string) => string;
}

/**
 * True if text may have colours: NO_COLOR forbids them, FORCE_COLOR requests them without a terminal, and a dumb
 * terminal has none.
 *
 * @param wanted False with --no-color, which takes precedence.
 */
export function hasColour(stream: Stream, wanted: boolean): boolean {
  const { NO_COLOR: forbids = "", FORCE_COLOR: forces } = process.env;
  if (!wanted || forbids !== "" || forces === "0") return false;
  return supportsStyles(stream) || (forces ?? "") !== "";
}

/** Styles with colours if {@link hasColour} allows them. */
export function paintFor(stream: Stream, wanted: boolean): Paint {
  const on = hasColour(stream, wanted);
  const style = (code: number) => (text: string) => (on ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: style(1), good: style(32), bad: style(31) };
}

/** True for a terminal that can do more than print lines. */
export function supportsStyles(stream: Stream): boolean {
  return stream.isTTY === true && process.env["TERM"] !== "dumb";
}

/** Maximum length of a line that is easy to read. */
const WIDEST = 120;

/** Maximum line length: that of a terminal, within limits; unlimited elsewhere, where programs read the lines. */
export function widthOf({ isTTY, columns }: Stream): number {
  return isTTY === true ? Math.max(20, Math.min(columns || 80, WIDEST)) : Infinity;
}
