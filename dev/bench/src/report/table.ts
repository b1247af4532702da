import { memoryRatio, type Result, shownGoal, shownRatio, shownRows, shownSpread, verdict } from "../run/result.ts";

export const COLUMNS = ["row", "against", "rows", "time ratio (ours / peer)", "memory", "goal", ""] as const;

/** The cells of a row, in the order of {@link COLUMNS}. */
export function cellsOf(result: Result): string[] {
  const { row, rows, measurement } = result;
  const memory = measurement === undefined ? null : memoryRatio(measurement);
  return [
    row.name,
    row.peer,
    rows === null ? "" : shownRows(rows),
    measurement === undefined ? `not run: ${result.notRun}` : shownSpread(measurement.timeRatio),
    memory === null ? "" : shownRatio(memory),
    shownGoal(row),
    verdict(result),
  ];
}

/** The table for the page of the benchmarks, with columns as wide as their content. */
export function markdownReport(results: readonly Result[]): string {
  const lines = [[...COLUMNS], ...results.map(cellsOf)].map((cells) =>
    cells.map((cell) => cell.replaceAll("|", "\\|")),
  );
  const widths = COLUMNS.map((_, column) => Math.max(3, ...lines.map((cells) => (cells[column] as string).length)));
  const shown = (cells: string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] as number)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [shown(lines[0] as string[]), rule, ...lines.slice(1).map(shown)].join("\n");
}
