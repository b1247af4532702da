/** Escapes what a terminal would obey: names of files and values come from whoever wrote the data. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Paints text, or does not. */
export interface Paint {
  bold: (text: string) => string;
  good: (text: string) => string;
  bad: (text: string) => string;
}

/** Colours where they are wanted and the stream is a terminal. */
export function paintFor(stream: { isTTY?: boolean }, wanted: boolean): Paint {
  const on = wanted && stream.isTTY === true && (process.env["NO_COLOR"] ?? "") === "";
  const style = (code: number) => (text: string) => (on ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: style(1), good: style(32), bad: style(31) };
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** `282.6 kB` */
export function sizeText(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${UNITS[power]}`;
}

/** `12,345 rows`, `1 row` */
export function countText(count: number, one: string, many: string = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
