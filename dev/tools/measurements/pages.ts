import { readFileSync } from "node:fs";
import { join } from "node:path";
import { shownRatio } from "../../bench/src/run/result.ts";
import { trialsSentence, trialsTable } from "../../soak/src/figures.ts";
import { withParts } from "../pages/marked_parts.ts";
import { type Benchmark, keptBenchmark, keptTrials } from "./kept_results.ts";

/** The pages that quote measurements, with the figures of the stored results. The front page of the site shows those of README.md. */
export function pagesOfMeasurements(root: string): Map<string, string> {
  const trials = keptTrials(root).map(({ report }) => report);
  const recording = `${shownRatio(ratioOf(root, "record-full-bare"))} times`;
  return new Map([
    ["docs/reliability.md", withParts(join(root, "docs/reliability.md"), { figures: trialsTable(trials) })],
    [
      "docs/comparison.md",
      replaced(root, "docs/comparison.md", [[/(?<=^Recording a row takes )\S+ times/m, recording]]),
    ],
    [
      "README.md",
      replaced(root, "README.md", [
        [/(?<=^\| recording a row [^|]*\| ).*?(?= its time *\|)/m, recording],
        [/(?<=^\| statistics of a user [^|]*\| ).*?(?= faster *\|)/m, timesFaster(ratioOf(root, "user-stats"))],
        [/(?<=^\| kills, [^|]*\| )[^|]*?(?= *\|)/m, trialsSentence(trials)],
      ]),
    ],
  ]);
}

function ratioOf(root: string, name: Benchmark): number {
  const { file, report } = keptBenchmark(root, name);
  const measured = report.rows.find((row) => row.name === name)?.timeRatio ?? undefined;
  if (measured === undefined) throw new Error(`${file}: expected a measured row ${name}`);
  return measured.median;
}

/** `more than 800 times`: runs differ by more than the further digits. */
function timesFaster(ratio: number): string {
  const times = 1 / ratio;
  const step = 10 ** Math.floor(Math.log10(times));
  return `more than ${(Math.floor(times / step) * step).toLocaleString("en")} times`;
}

function replaced(root: string, file: string, figures: readonly [place: RegExp, text: string][]): string {
  return figures.reduce(
    (page, [place, text]) => {
      if (!place.test(page)) throw new Error(`${file}: expected ${place}`);
      return page.replace(place, () => text);
    },
    readFileSync(join(root, file), "utf8"),
  );
}
