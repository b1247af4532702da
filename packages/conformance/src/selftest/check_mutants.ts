import { loadAdapter } from "../implementations.ts";
import { inProcessAdapter } from "../protocol/in_process.ts";
import { runSuite } from "../runner/run_suite.ts";
import { MUTANTS } from "./mutants/all.ts";
import { mutate } from "./mutants/mutate.ts";
import type { Mutant } from "./mutants/mutations.ts";
import { PATIENT_MS, selfCheck } from "./self_check.ts";
import type { SelfCheck } from "./self_check.ts";

/** What became of one mutant. */
export interface MutantCheck extends SelfCheck {
  mutant: Mutant;
}

/** Every mutant must be killed by its named case, with the verdict `fail`: a crash proves nothing. */
export async function* checkMutants(): AsyncGenerator<MutantCheck> {
  for (const mutant of MUTANTS) {
    const adapter = inProcessAdapter("mutant", async () => mutate(await loadAdapter(mutant.line), mutant));
    const { cases } = await runSuite({ adapter, cases: [mutant.kills], timeoutMs: PATIENT_MS });
    const named = cases.find((record) => record.id === mutant.kills);
    const cites = named?.requirements.includes(mutant.requirement) === true;
    yield {
      ...selfCheck(
        "mutants",
        mutant.name,
        named?.verdict !== "fail" &&
          `survived: ${mutant.kills} gave ${named?.verdict ?? "nothing"} ${named?.reason ?? ""}`,
        !cites && `${mutant.kills} does not cite ${mutant.requirement}`,
      ),
      mutant,
    };
  }
}
