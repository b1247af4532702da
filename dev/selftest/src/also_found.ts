import { readFileSync } from "node:fs";
import { areaOf } from "../../../packages/conformance/src/corpus/case.ts";
import { readCorpus } from "../../../packages/conformance/src/corpus/corpus.ts";
import { loadAdapter } from "../../../packages/conformance/src/implementations.ts";
import { inProcessAdapter } from "../../../packages/conformance/src/protocol/in_process.ts";
import { judgeChosen } from "./judge_chosen.ts";
import { isLarge } from "./large_cases.ts";
import { mutate, type Mutant } from "./mutants/mutations.ts";

/** The committed list. */
export const FILE: URL = new URL("../also_found.json", import.meta.url);

/** Other cases of the mutant's requirement that find it. Large and generated ones are left out: they are meant to find much. */
export async function alsoFound(mutant: Mutant): Promise<string[]> {
  const others = readCorpus().cases.filter(
    ({ case: tested, requirements }) =>
      tested.id !== mutant.kills &&
      !isLarge(tested) &&
      areaOf(tested.id) !== "generated" &&
      requirements.some(({ id }) => id === mutant.requirement),
  );
  if (others.length === 0) return [];
  const adapter = inProcessAdapter("mutant", async () => mutate(await loadAdapter(mutant.line), mutant));
  const ids = others.map((loaded) => loaded.case.id);
  const { records } = await judgeChosen(adapter, ids);
  return records.filter(({ verdict }) => verdict === "fail").map(({ id }) => id);
}

/** Cases by the id of the mutant. A mutant that only its named case finds has none. */
export const readAlsoFound = (): Record<string, string[]> =>
  JSON.parse(readFileSync(FILE, "utf8")) as Record<string, string[]>;
