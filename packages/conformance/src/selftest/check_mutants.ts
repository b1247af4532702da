import { readCorpus } from "../corpus/corpus.ts";
import { loadAdapter } from "../implementations.ts";
import { inProcessAdapter } from "../protocol/in_process.ts";
import type { CaseRecord } from "../report/record.ts";
import { judgeChosen } from "../runner/judge_chosen.ts";
import { JUSTIFIED, MUTANTS } from "./mutants/all.ts";
import { mutate } from "./mutants/mutations.ts";
import type { Mutant } from "./mutants/mutations.ts";
import { LONG_TIMEOUT_MS, selfCheck } from "./self_check.ts";
import type { SelfCheck } from "./self_check.ts";

/** The check of one mutant. */
interface MutantCheck extends SelfCheck {
  mutant: Mutant;
}

/** Every mutant must be killed by its named case with the verdict `fail`; a crash proves nothing. */
export async function* checkMutants(): AsyncGenerator<MutantCheck> {
  for (const mutant of MUTANTS) {
    const adapter = inProcessAdapter("mutant", async () => mutate(await loadAdapter(mutant.line), mutant));
    const { records, notes } = await judgeChosen(adapter, [mutant.kills], LONG_TIMEOUT_MS);
    const named = records[0] as CaseRecord;
    const cites = named.requirements.includes(mutant.requirement);
    yield {
      ...selfCheck(
        "mutants",
        mutant.name,
        named.verdict !== "fail" &&
          `survived: ${mutant.kills} gave ${named.verdict} ${named.reason ?? notes.join("; ")}`,
        !cites && `${mutant.kills} does not cite ${mutant.requirement}`,
      ),
      mutant,
    };
  }
}

/**
 * Every scored must and should, and every open question that a case checks, has a mutant; every case kills a mutant.
 */
export function coverageFaults(): SelfCheck[] {
  const { requirements, cases } = readCorpus();
  const broken = new Set(MUTANTS.map((mutant) => mutant.requirement));
  const deadly = new Set(MUTANTS.map((mutant) => mutant.kills));
  const rows = [...requirements.values()].filter((row) => row.level !== "extra" && row.unchecked === undefined);
  return [
    ...rows.map((row) => selfCheck("mutants", `${row.id} has a mutant`, !broken.has(row.id) && "no mutant breaks it")),
    ...cases.map(({ case: { id } }) =>
      selfCheck(
        "mutants",
        `${id} kills a mutant, or has a justification`,
        !deadly.has(id) && JUSTIFIED[id] === undefined && "it kills no mutant",
        deadly.has(id) && JUSTIFIED[id] !== undefined && "it kills a mutant, so it needs no justification",
      ),
    ),
    ...Object.keys(JUSTIFIED)
      .filter((id) => !cases.some((loaded) => loaded.case.id === id))
      .map((id) => selfCheck("mutants", `${id} is justified`, "there is no such case")),
  ];
}
