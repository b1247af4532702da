import { readCorpus } from "../../../packages/conformance/src/corpus/corpus.ts";
import { loadAdapter } from "../../../packages/conformance/src/implementations.ts";
import { inProcessAdapter } from "../../../packages/conformance/src/protocol/in_process.ts";
import type { CaseRecord } from "../../../packages/conformance/src/results/record.ts";
import { judgeChosen } from "./judge_chosen.ts";
import { MUTANTS } from "./mutants/all.ts";
import { mutate } from "./mutants/mutations.ts";
import type { Mutant } from "./mutants/mutations.ts";

/** Judges a mutant by its named case. */
export async function judgeMutant(mutant: Mutant): Promise<{ record: CaseRecord; notes: string[] }> {
  const adapter = inProcessAdapter("mutant", async () => mutate(await loadAdapter(mutant.line), mutant));
  const { records, notes } = await judgeChosen(adapter, [mutant.kills]);
  return { record: records[0] as CaseRecord, notes };
}

/** Requirements without a mutant: every scored must and should, and every open question that a case checks, needs one. */
export function requirementsWithoutMutant(): string[] {
  const broken = new Set(MUTANTS.map((mutant) => mutant.requirement));
  return [...readCorpus().requirements.values()]
    .filter((row) => row.level !== "extra" && row.unchecked === undefined && !broken.has(row.id))
    .map((row) => row.id);
}

/** Cases that find no mutant. */
export function casesWithoutMutant(): string[] {
  const deadly = new Set(MUTANTS.map((mutant) => mutant.kills));
  return readCorpus()
    .cases.map((loaded) => loaded.case.id)
    .filter((id) => !deadly.has(id));
}
