/** Results of benchmarks and trials that pages quote. They are committed as the commands wrote them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { MachineReport } from "../../bench/src/report/machine.ts";
import type { SoakReport } from "../../soak/src/report.ts";

/** The row of a benchmark, measured with `pnpm bench COMMAND --json`, by the name of its file. */
const BENCHMARKS = { "record-full-bare": "record-full-bare", "user-stats": "user-stats --rows 10m" };
export type Benchmark = keyof typeof BENCHMARKS;

/** The kinds of trials, as `pnpm soak` names them. The release reads this without building their code. */
const TRIALS = [
  "crash",
  "power_cut",
  "errors",
  "interrupt",
  "full_disk",
  "together",
  "documents",
  "databases",
  "long_life",
];

/** A stored result: its file, the command that writes it, and its content. */
export interface KeptResult<Report> {
  file: string;
  command: string;
  report: Report;
}

/** The stored run of a benchmark. */
export function keptBenchmark(root: string, name: Benchmark): KeptResult<MachineReport> {
  const file = `dev/bench/results/${name}.json`;
  return {
    file,
    command: `pnpm bench ${BENCHMARKS[name]} --json > ${file}`,
    report: read(root, file) as MachineReport,
  };
}

/** The stored runs of the trials, in the order in which the kinds are tried. */
export function keptTrials(root: string): KeptResult<SoakReport>[] {
  return TRIALS.map((name) => {
    const file = `dev/soak/results/${name}.json`;
    return { file, command: `pnpm soak ${name} --json ${file}`, report: read(root, file) as SoakReport };
  });
}

/** All of them. */
export function keptResults(root: string): KeptResult<MachineReport | SoakReport>[] {
  return [...Object.keys(BENCHMARKS).map((name) => keptBenchmark(root, name as Benchmark)), ...keptTrials(root)];
}

const read = (root: string, file: string): unknown => JSON.parse(readFileSync(join(root, file), "utf8"));
