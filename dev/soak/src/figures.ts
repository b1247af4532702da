import { countText, numberText } from "@perdura/cli/quantities.js";
import { table } from "../../tools/pages/markdown_table.ts";
import type { SoakReport } from "./report.ts";

const HEAD = ["command", "trials", "of", "lost", "wrong", "minutes", "commit", "date"];

/** The trials of each kind, in the plural. Unlike things are never added. */
const TRIALS: Readonly<Record<string, string>> = {
  crash: "kills",
  power_cut: "power cuts",
  errors: "failed system calls",
  interrupt: "signals",
  full_disk: "full disks",
  together: "rows of 32 processes at once",
  documents: "damaged documents",
  databases: "damaged databases",
  long_life: "records of simulated days",
};

/** Table of a full run: a row for each command, with the machine it ran on. */
export function trialsTable(reports: readonly SoakReport[]): string {
  const rows = reports.map(({ asked, totals, seconds: took, made }) => [
    `\`${commandOf(asked)}\``,
    numberText(totals.trials),
    trialsOf(asked),
    ...[totals.lost, totals.wrong].map(numberText),
    minutesText(took),
    `\`${made.commit}\``,
    made.date,
  ]);
  return [table(HEAD, rows), "", whereText(reports)].join("\n");
}

/** The trials in a sentence: `1,827 kills, 1,200 power cuts, …: nothing lost`. */
export function trialsSentence(reports: readonly SoakReport[]): string {
  const lost = reports.reduce((sum, { totals }) => sum + totals.lost + totals.wrong, 0);
  const trials = reports.map(({ asked, totals }) => `${numberText(totals.trials)} ${trialsOf(asked)}`);
  return `${trials.join(", ")}: ${lost === 0 ? "nothing lost, nothing wrong" : `${numberText(lost)} lost or wrong`}`;
}

function trialsOf({ soaks: [name = ""] }: SoakReport["asked"]): string {
  const trials = TRIALS[name];
  if (trials === undefined) throw new Error(`${name}: no name for its trials`);
  return trials;
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
