import { EXIT } from "@perdura/cli/exit_codes.js";
import { SANDBOX_CHECK } from "../corpus/own_checks.ts";
import { type JudgementCode, VERDICTS } from "../results/record.ts";
import type { CaseRecord, Verdict } from "../results/record.ts";

/** Number of cases with each verdict. */
export function countVerdicts(records: readonly CaseRecord[]): Record<Verdict, number> {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const record of records) counts[record.verdict] += 1;
  return counts;
}

/** Compares the results with the case files on the disk: no file without a verdict, no verdict without a file. */
export function accountingFaults(records: readonly CaseRecord[], files: readonly string[]): string[] {
  const onDisk = new Set(files);
  const judged = new Set(records.map((record) => record.id));
  const faults = files.filter((id) => !judged.has(id)).map((id) => `the case file ${id} has no verdict`);
  faults.push(...[...judged].filter((id) => !onDisk.has(id)).map((id) => `the verdict of ${id} has no case file`));
  if (judged.size !== records.length) faults.push("a case has two verdicts");
  return faults;
}

/** Verdicts that describe the implementation; a missing capability is one of them. */
const JUDGED: ReadonlySet<Verdict> = new Set([
  "pass",
  "fail",
  "crash",
  "timeout",
  "protocol-error",
  "observed",
  "unsupported",
]);

/**
 * The judgement of a whole run.
 * @param faults faults of the accounting.
 * @param deviations number of unexpected results.
 */
export function conclude(
  records: readonly CaseRecord[],
  faults: readonly string[],
  deviations: number,
): { conformant: boolean; exit_code: JudgementCode } {
  const nothingRan = !records.some((record) => JUDGED.has(record.verdict));
  const broken = faults.length > 0 || records.some((record) => record.verdict === "harness-error");
  const binding = records.filter(
    (record) =>
      record.scored && record.level === "must" && record.verdict !== "inapplicable" && record.outside_profile !== true,
  );
  const strayed = records.some(({ failures }) => failures.some(({ check }) => check === SANDBOX_CHECK));
  const conformant = !nothingRan && !broken && !strayed && binding.every((record) => record.verdict === "pass");
  return { conformant, exit_code: broken || nothingRan ? EXIT.failed : deviations > 0 ? EXIT.difference : EXIT.done };
}
