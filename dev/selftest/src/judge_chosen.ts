import { PATIENCE_MS } from "../../../test/patience.ts";
import { readCorpus } from "../../../packages/conformance/src/corpus/corpus.ts";
import type { LoadedCase } from "../../../packages/conformance/src/corpus/load_cases.ts";
import type { AdapterSource } from "../../../packages/conformance/src/protocol/channel.ts";
import type { CaseRecord } from "../../../packages/conformance/src/results/record.ts";
import { withoutRunning } from "../../../packages/conformance/src/runner/judge_cases.ts";
import { blankRecord } from "../../../packages/conformance/src/runner/run_case.ts";
import { Worker } from "../../../packages/conformance/src/runner/worker.ts";

/** Verdicts of {@link judgeChosen}. */
export interface ChosenVerdicts {
  /** One record for each case that ran, in their order. */
  records: CaseRecord[];
  /** Reasons if something ended early. */
  notes: string[];
}

/**
 * Judges an implementation by some cases of the suite as `runSuite` does. It neither settles the other cases nor
 * makes a report, which take longer than most cases.
 * @param ids ids of the cases, in the order in which they run.
 * @param isEnough true for a record after which no further case is needed; by default, all run.
 * @param runs number of sequences of generated cases; by default that of the suite.
 * @throws {Error} when a case does not exist.
 */
export async function judgeChosen(
  adapter: AdapterSource,
  ids: readonly string[],
  isEnough: (record: CaseRecord) => boolean = () => false,
  runs?: number,
): Promise<ChosenVerdicts> {
  const { requirements, cases: all, shared } = readCorpus();
  const cases = ids.map((id) => {
    const loaded = all.find((candidate) => candidate.case.id === id);
    if (loaded === undefined) throw new Error(`there is no case ${id}`);
    return loaded;
  });
  const notes: string[] = [];
  const worker = await Worker.start({ adapter, line: "", timeoutMs: PATIENCE_MS, shared, notes });
  if (worker === undefined) return { records: cases.map((loaded) => blankRecord(loaded, {})), notes };
  const { spec_version: version, capabilities, inapplicable = {}, choices } = worker.introduction;
  const context = {
    cases,
    requirements,
    selection: {},
    profile: undefined,
    seed: null,
    runs,
    version,
    capabilities,
    inapplicable,
    choices,
  };
  const judge = async (loaded: LoadedCase): Promise<CaseRecord> => {
    const early = withoutRunning(loaded, context, true);
    return early ? { ...blankRecord(loaded, choices), ...early } : (await worker.judge(loaded, context)).record;
  };
  const records: CaseRecord[] = [];
  try {
    for (const loaded of cases) {
      const record = await judge(loaded);
      records.push(record);
      if (isEnough(record)) break;
    }
  } finally {
    await worker.close();
  }
  return { records, notes };
}
