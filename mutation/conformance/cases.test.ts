import { afterAll, describe, expect, test } from "vitest";
import { readCorpus } from "../../packages/conformance/src/corpus/corpus.ts";
import { judgeCases, type JudgeContext } from "../../packages/conformance/src/runner/judge_cases.ts";
import { Worker } from "../../packages/conformance/src/runner/worker.ts";
import { inProcessAdapter } from "../../packages/conformance/src/protocol/in_process.ts";
import type { Adapter } from "../../packages/conformance/src/protocol/messages.ts";

/**
 * The conformance suite alone, a test for each case: the cases of the corpus against the adapters for our own lines, in this
 * process, so that it is known which case reaches which mutant.
 */
const LINES: [name: string, load: () => Promise<{ createAdapter: () => Adapter }>][] = [
  ["perdura-15", () => import("../../packages/conformance/adapters/v15.ts")],
  ["perdura-16", () => import("../../packages/conformance/adapters/v16.ts")],
];

const { requirements, cases, shared } = readCorpus(undefined);

describe.each(LINES)("%s", async (name, load) => {
  const { createAdapter } = await load();
  const adapter = inProcessAdapter(name, createAdapter);
  const worker = await Worker.start({ adapter, line: "", timeoutMs: 10_000, shared, notes: [] });
  if (worker === undefined) throw new Error(`${name} did not come up`);
  afterAll(() => worker.close());
  const { spec_version: version, capabilities, choices } = worker.introduction;

  test.each(cases.map((loaded) => [loaded.case.id, loaded] as const))("%s", async (_id, loaded) => {
    const context: JudgeContext = {
      cases: [loaded],
      requirements,
      selection: {},
      profile: undefined,
      seed: null,
      version,
      capabilities,
      choices,
    };
    const verdicts: string[] = [];
    await judgeCases([worker], context, ({ record }) => verdicts.push(record.verdict));
    // The working directory belongs to the process, of which Stryker's workers are threads.
    expect(["pass", "inapplicable", "observed", "unsupported"]).toContain(verdicts[0]);
  });
});
