import fc from "fast-check";
import type { GenerateStep, Step } from "../corpus/case.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import type { CaseRecord } from "../results/record.ts";
import { SEED, SEQUENCE_KINDS } from "./sequence_kinds.ts";
import type { Judged } from "./sequence_kind.ts";

/** Number of sequences of a generated case, unless the run says otherwise. */
const RUNS = 60;

/**
 * Number of shorter sequences that are tried after one has failed; fewer where each of them ends the adapter, which takes
 * a restart, or a wait.
 */
const TRIES = { fail: 80, other: 4 };

/**
 * Judges an implementation by sequences of operations that are made from a seed. The first that fails is shortened.
 * @param play runs a case, and restarts the adapter where that is necessary.
 * @returns the record of the shortest failing sequence, or of the last one if all passed.
 */
export async function judgeSequences(
  loaded: LoadedCase,
  { generate }: GenerateStep,
  { seed, runs = RUNS, judged }: { seed: number | null; runs: number | undefined; judged: Judged },
  play: (tested: LoadedCase) => Promise<CaseRecord>,
): Promise<CaseRecord> {
  const kind = SEQUENCE_KINDS[generate];
  let failed: CaseRecord | undefined;
  let last: CaseRecord | undefined;
  let number = 0;
  let tries = 0;
  const holds = async (sequence: unknown): Promise<boolean> => {
    if (failed === undefined) number += 1;
    else tries += 1;
    // Of further sequences nothing is asked: the shortest that was found is reported.
    if (tries > (failed?.verdict === "fail" ? TRIES.fail : TRIES.other) && failed !== undefined) return true;
    const steps = kind.steps(sequence, judged);
    const record = await play({ ...loaded, case: { ...loaded.case, steps } });
    last = record;
    // An adapter that does not start again says nothing about a shorter sequence.
    if (record.verdict === "pass" || (failed !== undefined && record.verdict === "not-run")) return true;
    failed = { ...record, generated: { seed: seed ?? SEED, sequence: number, steps: reached(steps, record) } };
    return false;
  };
  await fc.check(fc.asyncProperty(kind.sequences(judged), holds), { seed: seed ?? SEED, numRuns: runs });
  return failed ?? (last as CaseRecord);
}

/** The steps up to the last difference: later ones did not run, or found nothing. */
function reached(steps: Step[], { failures }: CaseRecord): Step[] {
  const last = Math.max(...failures.map(({ step }) => step));
  return failures.length === 0 ? steps : steps.slice(0, last);
}
