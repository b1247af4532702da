import { readCorpus } from "../corpus/corpus.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import type { CaseRecord } from "../report/record.ts";
import { withoutRunning } from "./judge_cases.ts";
import { blankRecord } from "./run_case.ts";
import { Worker } from "./worker.ts";

/**
 * Judges an implementation by one case of this package as `runSuite` does. It neither settles the other cases nor makes
 * a report, which take longer than most cases.
 * @throws {Error} when there is no such case.
 */
export async function judgeCase(adapter: AdapterSource, id: string, timeoutMs: number): Promise<CaseRecord> {
  const { requirements, cases, shared } = readCorpus();
  const loaded = cases.find((candidate) => candidate.case.id === id);
  if (loaded === undefined) throw new Error(`there is no case ${id}`);
  const notes: string[] = [];
  const worker = await Worker.start({ adapter, line: "", timeoutMs, shared, notes });
  if (worker === undefined) return { ...blankRecord(loaded, {}), reason: notes.join("; ") };
  try {
    const { spec_version: version, capabilities, inapplicable = {}, choices } = worker.introduction;
    const context = {
      cases: [loaded],
      requirements,
      selection: { cases: [id] },
      profile: undefined,
      seed: null,
      version,
      capabilities,
      inapplicable,
      choices,
    };
    const early = withoutRunning(loaded, context, true);
    return early ? { ...blankRecord(loaded, choices), ...early } : (await worker.judge(loaded, context)).record;
  } finally {
    await worker.close();
  }
}
