import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCorpus } from "../../../../packages/conformance/src/corpus/corpus.ts";
import type { Level } from "../../../../packages/conformance/src/corpus/requirements.ts";
import { loadAdapter } from "../../../../packages/conformance/src/implementations.ts";
import { checkFile } from "../../../../packages/conformance/src/judge_file/check_file.ts";
import type { JudgedAs, Line } from "../../../../packages/conformance/src/judge_file/file_report.ts";
import { inProcessAdapter } from "../../../../packages/conformance/src/protocol/in_process.ts";
import type { Adapter } from "../../../../packages/conformance/src/protocol/messages.ts";
import { judgeChosen } from "../../src/judge_chosen.ts";
import { isLarge } from "../../src/large_cases.ts";
import { applies } from "../../../../packages/conformance/src/runner/selection.ts";
import { inRange } from "../../../../packages/conformance/src/corpus/version_range.ts";

/** A kind of file that an implementation writes. */
interface Written {
  /** The operation that writes such files. */
  operation: string;
  /** The argument that names the file, or the directory of the files. */
  argument: string;
  as: JudgedAs;
  inspections: readonly string[];
  /** Levels of the cases; `must` by default. The text does not say that each state is a file of its own. */
  levels?: readonly Level[];
}

export const WRITTEN = {
  library: {
    operation: "save_to_json",
    argument: "filepath",
    as: "library",
    inspections: ["json", "library"],
  },
  patterns: {
    operation: "save_to_sqlite",
    argument: "db_path",
    as: "patterns-database",
    inspections: ["sqlite", "patterns-database"],
  },
  metrics: {
    operation: "MetricsCollector",
    argument: "db_path",
    as: "metrics-database",
    inspections: ["sqlite", "metrics-database"],
  },
  state: {
    operation: "StateManager",
    argument: "state_dir",
    as: "state",
    inspections: ["json", "state"],
    levels: ["must", "should"],
  },
} as const satisfies Record<string, Written>;

/** The scored cases that look at files of a kind that the implementation wrote, or continued. */
export function casesAbout({ operation, inspections, levels = ["must"] }: Written, line: Line): string[] {
  return readCorpus()
    .cases.filter((loaded) => {
      const { steps } = loaded.case;
      const ofLine = steps.filter(({ versions }) => versions === undefined || inRange(`${line}.0.0`, versions));
      return (
        levels.includes(loaded.level) &&
        !isLarge(loaded.case) &&
        applies(loaded, `${line}.0.0`) &&
        ofLine.some((step) => "call" in step && step.call === operation) &&
        ofLine.some((step) => "inspect" in step && inspections.includes(step.inspect)) &&
        !ofLine.some((step) => "kill" in step)
      );
    })
    .map((loaded) => loaded.case.id);
}

/** Both judgements of the files of one run, which ends as soon as each way has found a fault. */
export interface Judgements {
  /** The failures of `run`, by the ids of the cases; empty if it passed. */
  run: string[];
  /** The errors of `check-file`: requirement and place; empty if every file conforms. */
  checkFile: string[];
  files: number;
}

/** Changes a file of the implementation before it is judged. Returns false for a file that it cannot change. */
export type Change = (path: string) => boolean;

/**
 * Lets a line of perdura write the files of these cases, changes each file as if the line had written it so, and judges
 * the files in both ways.
 */
export async function judgeBothWays(
  written: Written,
  line: Line,
  cases: readonly string[],
  change: Change,
): Promise<Judgements> {
  const name = `perdura-${line}` as const;
  const errors = new Set<string>();
  const { requirements } = readCorpus();
  let files = 0;
  const judge = (path: string): void => {
    if (!change(path)) return;
    files += 1;
    for (const { level, requirement, at, wanted, got } of checkFile(path, { line, as: written.as }).findings) {
      if (level !== "error") continue;
      if (requirement !== undefined && requirements.get(requirement)?.level !== "must")
        throw new Error(`${requirement} is not a must, so it cannot be an error`);
      errors.add(`${requirement ?? "format"} ${at.replace(/, row .*/, "")} (${wanted}; ${got})`);
    }
  };
  const adapter = inProcessAdapter(name, async () => watch(await loadAdapter(name), written, judge));
  const { records: ran, notes } = await judgeChosen(
    adapter,
    cases,
    ({ verdict }) => verdict === "fail" && errors.size > 0,
  );
  const broken = ran.find(({ verdict }) => verdict !== "pass" && verdict !== "fail");
  if (broken) throw new Error(`${broken.id}: ${broken.verdict} ${broken.reason ?? notes.join("; ")}`);
  return {
    run: ran
      .filter(({ verdict }) => verdict === "fail")
      .map(({ id, failures }) => `${id} (${failures[0]?.wanted}; ${failures[0]?.got})`),
    checkFile: [...errors],
    files,
  };
}

/**
 * Calls `judge` for each file that a case wrote, when the suite is about to look at it. The implementation gets its own
 * file back before the next call, so that later calls do not depend on the change.
 */
function watch(inner: Adapter, { operation, argument }: Written, judge: (path: string) => void): Adapter {
  const paths = new Set<string>();
  const originals = new Map<string, Buffer>();
  return {
    async handle(request) {
      for (const [path, bytes] of originals) writeFileSync(path, bytes);
      originals.clear();
      if (request.type === "begin") paths.clear();
      if (request.type === "call" && request.op === operation && typeof request.args[argument] === "string")
        paths.add(request.args[argument]);
      const answer = await inner.handle(request);
      if (request.type === "settle")
        for (const path of [...paths].flatMap(filesAt)) {
          originals.set(path, readFileSync(path));
          judge(path);
        }
      return answer;
    },
  };
}

function filesAt(path: string): string[] {
  if (!existsSync(path)) return [];
  return statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
}
