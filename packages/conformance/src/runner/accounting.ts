import { VERDICTS } from "../report/record.ts";
import type { CaseRecord, Verdict } from "../report/record.ts";

/** How many cases have each verdict. */
export function countVerdicts(records: readonly CaseRecord[]): Record<Verdict, number> {
  const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const record of records) counts[record.verdict] += 1;
  return counts;
}

/** Compares the results with the case files on the disk: no file without a verdict, no verdict without a file. */
export function accountingFaults(records: readonly CaseRecord[], files: readonly string[]): string[] {
  const judged = records.map((record) => record.id);
  const faults = files.filter((id) => !judged.includes(id)).map((id) => `the case file ${id} has no verdict`);
  faults.push(
    ...judged.filter((id) => !files.includes(id)).map((id) => `the verdict of ${id} belongs to no case file`),
  );
  if (new Set(judged).size !== judged.length) faults.push("a case has two verdicts");
  return faults;
}

const RAN: ReadonlySet<Verdict> = new Set(["pass", "fail", "crash", "timeout", "protocol-error", "observed"]);
const LEFT_OUT: ReadonlySet<Verdict> = new Set(["not-run", "unsupported"]);

/** The judgement over a whole run. `unsupported` on a must is unexpected: what is missing is never a pass. */
export function conclude(
  records: readonly CaseRecord[],
  faults: readonly string[],
): { conformant: boolean; exit_code: 0 | 1 | 3 } {
  const nothingRan = !records.some((record) => RAN.has(record.verdict));
  const broken = faults.length > 0 || records.some((record) => record.verdict === "harness-error");
  const scored = records.filter((record) => record.scored && record.verdict !== "inapplicable");
  const failed = scored.some((record) => RAN.has(record.verdict) && record.verdict !== "pass");
  const missing = scored.filter((record) => record.level === "must" && LEFT_OUT.has(record.verdict));
  const unsupported = missing.some((record) => record.verdict === "unsupported");
  const conformant =
    !nothingRan &&
    !broken &&
    missing.length === 0 &&
    scored.every((record) => record.level !== "must" || record.verdict === "pass");
  return { conformant, exit_code: broken || nothingRan ? 3 : failed || unsupported ? 1 : 0 };
}
