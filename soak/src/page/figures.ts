import { readFileSync } from "node:fs";
import { join } from "node:path";
import { table } from "../../../tools/pages/markdown_table.ts";
import type { SoakReport } from "../report.ts";
import { SOAKS } from "../soaks.ts";

const HEAD = ["command", "trials", "lost", "wrong", "minutes"];

/** The reports of a full run that are kept, in the order in which the kinds are tried. */
export function keptReports(root: string): SoakReport[] {
  return SOAKS.map(
    ({ name }) => JSON.parse(readFileSync(join(root, "soak", "results", `${name}.json`), "utf8")) as SoakReport,
  );
}

/** What a full run came to: a row for each command, and under what circumstances. */
export function figures(reports: readonly SoakReport[]): string {
  const total = (key: "trials" | "lost" | "wrong"): number => reports.reduce((sum, { totals }) => sum + totals[key], 0);
  const seconds = reports.reduce((sum, report) => sum + report.seconds, 0);
  const rows = reports.map(({ asked, totals, seconds: took }) => [
    `\`${commandOf(asked)}\``,
    ...[totals.trials, totals.lost, totals.wrong].map(numberText),
    minutesText(took),
  ]);
  const sums = [...[total("trials"), total("lost"), total("wrong")].map(numberText), minutesText(seconds)];
  return [table(HEAD, [...rows, ["together", ...sums]]), "", whereText(reports)].join("\n");
}

/** The command that makes a report, as somebody types it. */
function commandOf({ soaks, share, seed }: SoakReport["asked"]): string {
  return `pnpm soak ${soaks.join(" ")}${share === 1 ? "" : ` --share ${share * 100}`} --seed ${seed}`;
}

function whereText(reports: readonly SoakReport[]): string {
  const each = (text: (made: SoakReport["made"]) => string): string =>
    [...new Set(reports.map(({ made }) => text(made)))].join(", ");
  const processors = each((made) => `${made.processors}`);
  return `Commit ${each(({ commit }) => `\`${commit}\``)}, Node.js ${each(({ node }) => node.slice(1))}, ${each(({ system }) => system)}, ${processors} processors.`;
}

function numberText(number: number): string {
  return number.toLocaleString("en-US");
}

function minutesText(seconds: number): string {
  return (seconds / 60).toFixed(1);
}
