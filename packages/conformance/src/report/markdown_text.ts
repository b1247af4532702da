import { escapeControls } from "../values/escape.ts";

/**
 * Text in a Markdown table cell that stays text: no markup, no link to a page, no end of the cell.
 * @example markdownText("load_from_json | <b>") // "load_from_json \\| \\<b\\>"
 */
export function markdownText(text: string): string {
  return escapeControls(text)
    .replace(/[\\`*[\]<>|~&]/g, "\\$&")
    .replace(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\_")
    .replace(/:\/\//g, "\\://")
    .replace(/www\./gi, (start) => `${start.slice(0, -1)}\\.`);
}

/**
 * Text from an implementation: plain where it is a harmless word, else a code span, in which nothing is markup.
 * A backslash before the end of a cell has no spelling in a code span: some readers end the cell there.
 */
export function markdownData(text: string): string {
  const safe = escapeControls(text);
  if (/^[A-Za-z0-9][A-Za-z0-9 ,;()+.-]*$/.test(safe) && !/www\./i.test(safe)) return safe;
  if (safe.includes("\\|")) return markdownText(text);
  const longest = Math.max(0, ...[...safe.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence} ${safe.replace(/\|/g, "\\|")} ${fence}`;
}

/** A Markdown table, its columns aligned so that the plain text is readable too. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  // A long statement must not blow up every line of its column.
  const padded = widths.map((width) => Math.min(width, 60));
  const line = (cells: readonly string[]): string =>
    `| ${head.map((_, column) => (cells[column] ?? "").padEnd(padded[column] as number)).join(" | ")} |`;
  const rule = `| ${padded.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}
