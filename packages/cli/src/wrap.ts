import { displayWidth } from "./display_width.ts";

/** How much further in the rest of a broken line stands. */
const HANG = 2;

/**
 * Breaks long lines at blanks, the rest further in than the beginning. What cannot be broken (a path) stays whole, and so
 * do commands: whoever copies them wants them in one piece.
 */
export function wrap(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => (displayWidth(line) <= width || isCommandLine(line) ? [line] : broken(line, width)))
    .join("\n");
}

function isCommandLine(line: string): boolean {
  return /^\s+perdura-[a-z]+ |^(?:aws|az|gcloud) /.test(line);
}

/** `  10. step`, `  backup: …`: the rest stands below the words, as long as that leaves room for them. */
const INDENT_AND_LABEL = /^( *)(\d+\. |--\S+(?: \S+)* {2,}|\w+: |)/;

function broken(line: string, width: number): string[] {
  const [{ length: beside }, { length: indent }, label] = INDENT_AND_LABEL.exec(line) as unknown as [
    string,
    string,
    string,
  ];
  const hang = label !== "" && beside <= width / 3 ? beside : indent + HANG;
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
