import { readCorpus } from "../corpus/corpus.ts";
import { MUTANTS } from "./mutants/all.ts";
import { JUSTIFIED } from "./mutants/justified.ts";
import { selfCheck } from "./self_check.ts";
import type { SelfCheck } from "./self_check.ts";

/** Every scored must and should, and every open question that a case looks at, has a mutant; every case kills one. */
export function coverageFaults(): SelfCheck[] {
  const { requirements, cases } = readCorpus();
  const broken = new Set(MUTANTS.map((mutant) => mutant.requirement));
  const deadly = new Set(MUTANTS.map((mutant) => mutant.kills));
  const rows = [...requirements.values()].filter((row) => row.level !== "extra" && row.unchecked === undefined);
  return [
    ...rows.map((row) => selfCheck("mutants", `${row.id} has a mutant`, !broken.has(row.id) && "none breaks it")),
    ...cases.map(({ case: { id } }) =>
      selfCheck(
        "mutants",
        `${id} kills a mutant, or says why it stays`,
        !deadly.has(id) && JUSTIFIED[id] === undefined && "it kills none",
        deadly.has(id) && JUSTIFIED[id] !== undefined && "it kills one, so it needs no justification",
      ),
    ),
    ...Object.keys(JUSTIFIED)
      .filter((id) => !cases.some((loaded) => loaded.case.id === id))
      .map((id) => selfCheck("mutants", `${id} is justified`, "there is no such case")),
  ];
}
