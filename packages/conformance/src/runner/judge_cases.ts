import { createHash } from "node:crypto";
import type { LoadedCase } from "../corpus/load_cases.ts";
import { isInProfile } from "../corpus/load_profile.ts";
import type { Requirement } from "../corpus/requirements.ts";
import { TABLE_DUMP } from "../protocol/operations.ts";
import type { CaseRecord } from "../results/record.ts";
import { isDeclared } from "./answers.ts";
import { blankRecord } from "./run_case.ts";
import { applies, isSelected, missingCapabilities, neededCapabilities, needsFiles, needsPosix } from "./selection.ts";
import { interrupted, type JudgeContext, type Judged, type Worker } from "./worker.ts";

/**
 * Gives every case its verdict. Cases that need not run are settled at once; free workers take the others. Results are
 * reported in the order of the ids, each as soon as all before it are known.
 * @param workers empty if the adapter never started.
 */
export async function judgeCases(
  workers: readonly Worker[],
  context: JudgeContext,
  tell: (judged: Judged) => void,
): Promise<void> {
  const results = new Map<string, Judged>();
  let reported = 0;
  const settle = (judged: Judged): void => {
    results.set(judged.record.id, judged);
    for (let next = context.cases[reported]; next && results.has(next.case.id); next = context.cases[reported]) {
      tell(results.get(next.case.id) as Judged);
      reported += 1;
    }
  };
  const waiting: LoadedCase[] = [];
  const isInterrupted = (): boolean => context.signal?.aborted === true;
  for (const loaded of context.cases) {
    if (isInterrupted() && workers.length === 0) {
      settle(interrupted(loaded, context.choices));
      continue;
    }
    const early = withoutRunning(loaded, context, workers.length > 0);
    if (early) settle({ record: { ...blankRecord(loaded, context.choices), ...early } });
    else waiting.push(loaded);
  }
  const queue = inOrder(waiting, context.seed)[Symbol.iterator]();
  await Promise.all(
    workers.map(async (worker) => {
      for (const loaded of queue)
        settle(isInterrupted() ? interrupted(loaded, context.choices) : await worker.judge(loaded, context));
    }),
  );
}

type Early = Pick<CaseRecord, "verdict" | "reason" | "outside_profile">;

export function withoutRunning(loaded: LoadedCase, context: JudgeContext, known: boolean): Early | undefined {
  if (!known) return { verdict: "not-run", reason: "the adapter did not start" };
  // Before the selection: how many cases apply does not depend on it.
  const { version, profile } = context;
  if (!applies(loaded, version)) return { verdict: "inapplicable", reason: `does not apply to ${version}` };
  const undeclared = (loaded.case.assumes ?? []).filter(
    (id) => !isDeclared(context.requirements.get(id) as Requirement, context.choices),
  );
  if (undeclared.length > 0)
    return {
      verdict: "inapplicable",
      reason: `depends on ${undeclared.join(", ")}, which the implementation does not declare`,
    };
  const lacking = neededCapabilities(loaded, version).find((group) => context.inapplicable[group] !== undefined);
  if (lacking !== undefined)
    return { verdict: "inapplicable", reason: `needs ${lacking}: ${context.inapplicable[lacking]}` };
  const files = context.capabilities.includes(TABLE_DUMP) ? needsFiles(loaded.case, version) : undefined;
  const unable = files ?? needsPosix(loaded.case);
  if (unable !== undefined) return { verdict: "inapplicable", reason: unable };
  if (!isSelected(loaded, context.selection)) return { verdict: "not-run", reason: "not selected" };
  if (profile && !isInProfile(profile, loaded, neededCapabilities(loaded, version)))
    return { verdict: "not-run", reason: `outside the profile ${profile.name}`, outside_profile: true };
  const missing = missingCapabilities(loaded, version, context.capabilities);
  if (missing.length > 0)
    return { verdict: "unsupported", reason: `the adapter does not declare ${missing.join(", ")}` };
  return undefined;
}

/**
 * The order in which cases run: that of the ids, or a shuffled order that depends only on the seed. Shuffling exposes
 * cases that depend on each other; verdicts are always reported in the order of the ids.
 * @param seed a whole number; null for no shuffling.
 */
export function inOrder<Tested extends { case: { id: string } }>(
  cases: readonly Tested[],
  seed: number | null,
): Tested[] {
  if (seed === null) return [...cases];
  const places = new Map(cases.map((tested) => [tested, hashOf(`${seed} ${tested.case.id}`)]));
  const place = (tested: Tested): string => places.get(tested) as string;
  return cases.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
