import { escapeControls } from "../values/escape.ts";
import { ARTIFACTS } from "./artifacts.ts";
import type { MatrixCell, MatrixResult } from "./run_matrix.ts";

const WORDS: Readonly<Record<MatrixCell["verdict"], string>> = {
  pass: "pass",
  fail: "FAIL",
  crash: "CRASH",
  timeout: "TIMEOUT",
  "protocol-error": "PROTOCOL",
  unsupported: "-",
  inapplicable: "n/a",
};

/**
 * The matrix as text, one table for each artifact: producers in the rows, consumers in the columns. It is Markdown that
 * is also readable in a terminal.
 */
export function matrixText(result: MatrixResult): string {
  const names = result.members.map(({ name }) => name);
  const parts = ARTIFACTS.flatMap((artifact) => {
    const cells = result.cells.filter((cell) => cell.artifact === artifact.name);
    const rows = names.map((producer) => [
      producer,
      ...names.map((consumer) =>
        wordFor(cells.filter((cell) => cell.producer === producer && cell.consumer === consumer)),
      ),
    ]);
    return [`## ${artifact.title}`, "", ...table([["written by \\ read by", ...names], ...rows]), ""];
  });
  return `${[...parts, ...details(result), closing(result)].join("\n")}\n`;
}

/** One word for a direct route; for each route with a migration, a word and the migrator. */
function wordFor(cells: MatrixCell[]): string {
  const words = cells.map(({ verdict, migrator }) => `${WORDS[verdict]}${migrator === null ? "" : ` via ${migrator}`}`);
  return words.join(", ");
}

function table(rows: string[][]): string[] {
  const safe = rows.map((row) => row.map((cell) => escapeControls(cell).replaceAll("|", "\\|")));
  const widths = (safe[0] ?? []).map((_, column) => Math.max(...safe.map((row) => (row[column] ?? "").length)));
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(safe[0] ?? []), line(widths.map((width) => "-".repeat(width))), ...safe.slice(1).map(line)];
}

function details({ cells }: MatrixResult): string[] {
  const bad = cells.filter(
    ({ reason, verdict }) => reason !== "" && verdict !== "inapplicable" && verdict !== "unsupported",
  );
  if (bad.length === 0) return [];
  const lines = bad.map(
    ({ artifact, producer, migrator, consumer, verdict, reason }) =>
      `- ${WORDS[verdict]} ${artifact}: ${[producer, migrator, consumer].filter((name) => name !== null).join(" -> ")}: ${reason}`,
  );
  return ["## Failures", "", ...lines.map(escapeControls), ""];
}

function closing({ cells }: MatrixResult): string {
  const count = (test: (cell: MatrixCell) => boolean): number => cells.filter(test).length;
  const left = count(({ verdict }) => verdict === "unsupported" || verdict === "inapplicable");
  const passed = count(({ verdict }) => verdict === "pass");
  return `${passed} of ${cells.length - left} exchanges passed; ${left} not applicable`;
}
