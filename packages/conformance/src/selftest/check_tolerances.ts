import { type ImplementationName, LINE_IMPLEMENTATIONS, loadAdapter } from "../implementations.ts";
import { inProcessAdapter } from "../protocol/in_process.ts";
import type { Adapter } from "../protocol/messages.ts";
import { runSuite } from "../runner/run_suite.ts";
import { mutate } from "./mutants/mutate.ts";
import { selfCheck } from "./self_check.ts";
import type { SelfCheck } from "./self_check.ts";
import { TOLERANCES } from "./tolerances.ts";
import type { Tolerance } from "./tolerances.ts";

/**
 * Every tolerated habit, in these lines, must pass every must: the guard against cases that are too strict.
 *
 * @param areasFor Narrows the run of a habit to some areas, where a run takes too long; then the rest proves nothing.
 */
export async function* checkTolerances(
  names: readonly ImplementationName[] = LINE_IMPLEMENTATIONS,
  areasFor?: (tolerance: Tolerance) => readonly string[] | undefined,
): AsyncGenerator<SelfCheck> {
  for (const tolerance of TOLERANCES) {
    const failed: string[] = [];
    const areas = areasFor?.(tolerance);
    for (const name of names) {
      const adapter = inProcessAdapter(name, async () => tolerant(await loadAdapter(name), tolerance));
      const { cases, summary } = await runSuite({ adapter, ...(areas === undefined ? {} : { areas }) });
      const bad = cases.filter((record) => record.level === "must" && record.verdict === "fail");
      failed.push(
        ...bad.map(({ id, failures }) => `${name} ${id}: wanted ${failures[0]?.wanted}, got ${failures[0]?.got}`),
      );
      if (!summary.conformant && bad.length === 0 && areas === undefined)
        failed.push(`${name} is not conformant: ${summary.notes.join("; ")}`);
    }
    yield selfCheck("tolerant implementations", tolerance.name, failed.slice(0, 3).join("\n    "));
  }
}

function tolerant(inner: Adapter, { mutation, choices }: Tolerance): Adapter {
  const changed = mutate(inner, mutation);
  return {
    async handle(request) {
      const answer = await changed.handle(request);
      return "choices" in answer ? { ...answer, choices: { ...answer.choices, ...choices } } : answer;
    },
  };
}
