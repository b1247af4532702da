import { displayWidth } from "./display_width.ts";

/** Additional indent of the continuation of a wrapped line. */
const HANG = 2;

/**
 * Wraps long lines at blanks, with an indented continuation. Text without blanks, such as a path, is not broken.
 * Commands are not broken either, so that they can be copied.
 */
export function wrap(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => (displayWidth(line) <= width || isCommandLine(line) ? [line] : brokenLines(line, width)))
    .join("\n");
}

function isCommandLine(line: string): boolean {
  return /^\s+perdura-[a-z]+ |^(?:aws|az|gcloud) /.test(line);
}

/**
 * Indent and label of a line, such as ` 10. step` or ` backup: …`. The continuation is aligned with the text after the
 * label, if enough columns remain.
 */
const INDENT_AND_LABEL = /^( *)(\d+\. |--\S+(?: \S+)* {2,}|\w+: |)/;

function brokenLines(line: string, width: number): string[] {
  const [{ length: beside }, { length: indent }, label] = INDENT_AND_LABEL.exec(line) as unknown as [
    string,
    string,
    string,
  ];
  const hang = label !== "" && beside <= width / 3 ? beside : indent + HANG;
  return filledLines(line, width, hang);
}

/** Breaks a line at blanks. @param hang Indent of the further lines. */
export function filledLines(line: string, width: number, hang = 0): string[] {
  const lines: string[] = [];
  let current = "";
  // Only blanks are places to break at: wider spaces may be part of a name.
  for (const word of line.match(/ *[^ ]+/g) ?? []) {
    if (current === "" || displayWidth(current + word) <= width) current += word;
    else {
      lines.push(current);
      current = `${" ".repeat(hang)}${word.replaceAll(" ", "")}`;
    }
  }
  return [...lines, current];
}
