import { readFileSync } from "node:fs";
import { join } from "node:path";
import { countText, numberText } from "@perdura/cli/quantities.js";
import { table } from "../../../tools/pages/markdown_table.ts";
import type { SoakReport } from "../report.ts";
import { SOAKS } from "../soaks.ts";

const HEAD = ["command", "trials", "lost", "wrong", "minutes", "commit"];

/** The stored reports of a full run, in the order in which the kinds are tried. */
export function keptReports(root: string): SoakReport[] {
  return SOAKS.map(
    ({ name }) => JSON.parse(readFileSync(join(root, "dev", "soak", "results", `${name}.json`), "utf8")) as SoakReport,
  );
}

/** Table of a full run: a row for each command, with the machine it ran on. */
export function figures(reports: readonly SoakReport[]): string {
  const total = (key: "trials" | "lost" | "wrong"): number => reports.reduce((sum, { totals }) => sum + totals[key], 0);
  const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
  const rows = reports.map(({ asked, totals, seconds: took, made }) => [
    `\`${commandOf(asked)}\``,
    ...[totals.trials, totals.lost, totals.wrong].map(numberText),
    minutesText(took),
    `\`${made.commit}\``,
  ]);
  const sums = [...[total("trials"), total("lost"), total("wrong")].map(numberText), minutesText(seconds)];
  return [table(HEAD, [...rows, ["together", ...sums, ""]]), "", whereText(reports)].join("\n");
}

/** The command line that makes a report. */
function commandOf({ soaks, share, seed }: SoakReport["asked"]): string {
  return `pnpm soak ${soaks.join(" ")}${share === 1 ? "" : ` --share ${Number((share * 100).toPrecision(9))}`} --seed ${seed}`;
}

function whereText(reports: readonly SoakReport[]): string {
  const where = reports.map(
    ({ made }) => `Node.js ${made.node.slice(1)}, ${made.system}, ${countText(made.processors, "processor")}`,
  );
  return `${[...new Set(where)].join("; ")}.`;
}

function minutesText(seconds: number): string {
  return (seconds / 60).toFixed(1);
}
