import { displayWidth } from "./display_width.ts";

/** How much further in the rest of a broken line stands. */
const HANG = 2;

/**
 * Breaks long lines at blanks, the rest further in than the beginning. What cannot be broken (a path) stays whole, and so
 * do commands: whoever copies them wants them in one piece.
 */
export function wrap(text: string, width: number): string {
  return width === Infinity
    ? text
    : text
        .split("\n")
        .flatMap((line) => (displayWidth(line) <= width || isCommandLine(line) ? [line] : broken(line, width)))
        .join("\n");
}

function isCommandLine(line: string): boolean {
  return /^\s+perdura-[a-z]+ /.test(line);
}

function broken(line: string, width: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  // `  10. step`, `  backup: …`: the rest stands below the words, as long as that leaves room for them.
  const label = /^ *(?:\d+\. |--\S+(?: \S+)* {2,}|\w+: )/.exec(line)?.[0] ?? "";
  const hang = label !== "" && label.length <= width / 3 ? label.length : indent.length + HANG;
  const lines: string[] = [];
  let current = indent;
  let fresh = true;
  for (const [, blanks = "", word = ""] of line.slice(indent.length).matchAll(/( *)(\S+)/g)) {
    const candidate = fresh ? `${current}${word}` : `${current}${blanks}${word}`;
    if (fresh || displayWidth(candidate) <= width) current = candidate;
    else {
      lines.push(current);
      current = `${" ".repeat(hang)}${word}`;
    }
    fresh = false;
  }
  return [...lines, current];
}
