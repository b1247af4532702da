import { describe, expect, it } from "vitest";
import { readCorpus } from "../../src/corpus/corpus.ts";
import { caseFaults } from "../../src/corpus/case_rules.ts";
import { sampleSequences, SEQUENCE_KINDS } from "../../src/generator/sequence_kinds.ts";
import { loadAdapter } from "../../src/implementations.ts";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import type { Adapter, Answer } from "../../src/protocol/messages.ts";
import { violations } from "../../src/values/schemas.ts";
import { corpusOf } from "../fake_adapter.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";

const kinds = Object.keys(SEQUENCE_KINDS) as (keyof typeof SEQUENCE_KINDS)[];
const judged = { line: "15", inServer: false } as const;

describe.each(kinds)("generated sequences of %s", (generate) => {
  const samples = sampleSequences({ generate }, judged, 30);

  it("are cases as the format describes them, with the operations that the case declares", () => {
    const generated = readCorpus().cases.find(({ case: { id } }) => id === `generated/${generate}`);
    expect(generated?.case.steps).toEqual([{ generate }]);
    for (const steps of samples) {
      const one = { ...generated?.case, steps };
      expect(violations("case", one)).toEqual([]);
      expect(caseFaults(one as never, `generated/${generate}`, new Map(readCorpus().requirements))).toEqual([]);
    }
  });

  it("are the same for the same seed, long, and of many operations", () => {
    expect(sampleSequences({ generate }, judged, 30)).toEqual(samples);
    expect(Math.max(...samples.map((steps) => steps.length))).toBeGreaterThan(20);
    const operations = new Set(samples.flat().flatMap((step) => ("call" in step ? [step.call] : [])));
    expect(operations.size).toBeGreaterThan(2);
  });
});

/** The pre-16 line, of which one answer is changed. */
const changed = (
  change: (op: string, args: Record<string, unknown>, answer: Answer) => Answer,
): ReturnType<typeof inProcessAdapter> =>
  inProcessAdapter("changed", async () => {
    const inner: Adapter = await loadAdapter("perdura-15");
    return {
      async handle(request) {
        const answer = await inner.handle(request);
        return request.type === "call" ? change(request.op, request.args, answer) : answer;
      },
    };
  });

/** Two users whose ids differ only in a blank at the end. */
const trims = changed((op, args, answer) =>
  op === "get_user_stats" && String(args.user_id).endsWith(" ") && "value" in answer
    ? { ...answer, value: { ...(answer.value as object), total_operations: 0 } }
    : answer,
);

describe("a sequence that fails", () => {
  it("is shortened, names the seed, and fails again as a case of its own", async () => {
    const { cases } = await runWithLongTimeout({ adapter: trims, cases: ["generated/metrics"] });
    const record = cases.find(({ id }) => id === "generated/metrics");
    expect(record).toMatchObject({ verdict: "fail", generated: { seed: 1 } });
    const steps = record?.generated?.steps ?? [];
    // Opening, recording and asking; a bounded search may leave a step more.
    expect(steps.length).toBeLessThanOrEqual(5);
    const shortened = {
      id: "runner/again",
      title: "The shortened sequence",
      requirements: ["R-2.6/total-operations"],
      steps,
    };
    const { cases: repeated } = await runWithLongTimeout({ adapter: trims, corpus: corpusOf(shortened) });
    expect(repeated).toMatchObject([{ verdict: "fail", failures: record?.failures }]);
  });

  it("is the same in each run, and another one with another seed", async () => {
    const run = async (seed?: number) =>
      (
        await runWithLongTimeout({
          adapter: trims,
          cases: ["generated/metrics"],
          ...(seed === undefined ? {} : { seed }),
        })
      ).cases.find(({ generated }) => generated !== undefined)?.generated;
    const first = await run();
    expect(await run()).toEqual(first);
    expect(await run(7)).toMatchObject({ seed: 7 });
  });

  it("may end the adapter", async () => {
    const crashes = changed((op, args, answer) => {
      if (op === "delete_state" && String(args.user_id).includes(".")) throw new Error("a dot");
      return answer;
    });
    const { cases } = await runWithLongTimeout({ adapter: crashes, areas: ["generated"] });
    const verdicts = Object.fromEntries(
      cases.filter(({ id }) => id.startsWith("generated/")).map((one) => [one.id, one.verdict]),
    );
    expect(verdicts).toEqual({
      "generated/both-libraries": "pass",
      "generated/json-libraries": "pass",
      "generated/metrics": "pass",
      "generated/sqlite-libraries": "pass",
      "generated/states": "crash",
    });
  });
});
