import { styleText } from "node:util";

/** One line of the closing table. */
export interface Finding {
  what: string;
  before: number;
  after: string;
  missing: number;
}

/** Text for the terminal: emphasised there, plain elsewhere and with NO_COLOR. */
export function emphasise(style: "bold" | "green" | "red" | "dim", text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** A small table with aligned columns. */
export function tableOf(findings: Finding[]): string {
  const rows = findings.map(({ what, before, after, missing }) => [what, String(before), after, String(missing)]);
  const all = [["", "before", "after", "missing"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] as string).length)));
  const lines = all.map((row) => {
    const cells = row.map((cell, column) =>
      column === 1 || column === 3 ? cell.padStart(widths[column] as number) : cell.padEnd(widths[column] as number),
    );
    return `  ${cells.join("   ").trimEnd()}`;
  });
  lines.splice(1, 0, `  ${widths.map((width) => "-".repeat(width)).join("   ")}`);
  return lines.join("\n");
}
