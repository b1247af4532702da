import { expect, it } from "vitest";
import { OPERATIONS } from "../../../packages/conformance/src/protocol/operations.ts";
import type { Answer } from "../../../packages/conformance/src/protocol/messages.ts";
import type { Call } from "../src/mutants/mutations.ts";
import { areaOf } from "../../../packages/conformance/src/corpus/case.ts";
import { readCorpus } from "../../../packages/conformance/src/corpus/corpus.ts";
import { loadRequirements } from "../../../packages/conformance/src/corpus/requirements.ts";
import { TOLERANCES } from "../src/tolerances.ts";
import { compatible } from "../src/judge_tolerance.ts";
import { UNTRIED } from "./untried_answers.ts";

const operations = Object.values(OPERATIONS).flat();

// Cases in which a habit changes nothing are not run with it.
it.each(TOLERANCES.filter(({ mutation }) => mutation.op !== undefined))(
  "an implementation that $name changes calls of one operation only",
  ({ mutation }) => {
    expect(operations).toContain(mutation.op);
    expect(mutation.settled).toBeUndefined();
    for (const op of operations.filter((name) => name !== mutation.op)) {
      const request: Call = { seq: 1, type: "call", op, args: { filepath: "none", db_path: "none" } };
      const answer: Answer = { seq: 1, type: "ok", value: { level_1_count: 0, users: [] } };
      expect(mutation.before?.(request, "") ?? request).toBe(request);
      expect(mutation.answer?.(request, answer) ?? answer).toBe(answer);
    }
  },
);

it("each answer to an open question is that of an implementation, or has a reason", () => {
  const tried = new Set(
    TOLERANCES.flatMap(({ choices }) => Object.entries(choices).map(([question, answer]) => `${question}: ${answer}`)),
  );
  const others = [...loadRequirements().values()].flatMap(({ id, ruling, answers = {}, unchecked }) =>
    unchecked === undefined
      ? Object.keys(answers).flatMap((answer) => (answer === ruling ? [] : [`${id}: ${answer}`]))
      : [],
  );
  expect(others.filter((answer) => !tried.has(answer))).toEqual(Object.keys(UNTRIED));
});

it.each(Object.entries(UNTRIED))("the reason why no implementation has the answer %s holds", (answer, reason) => {
  const { cases, requirements } = readCorpus();
  const question = answer.slice(0, answer.indexOf(":"));
  const asking = cases.filter(({ case: { requirements: cited } }) => cited.includes(question));
  expect(asking).not.toEqual([]);
  if (reason === "migration")
    expect(new Set(asking.map(({ case: { id }, level }) => `${areaOf(id)} ${level}`))).toEqual(
      new Set(["migration observe"]),
    );
  else if ("must" in reason) expect(requirements.get(reason.must)?.level).toBe("must");
});

it("a combination gives one answer to each open question", () => {
  const replaces = TOLERANCES.filter(({ choices }) => choices["U-save-existing"] !== undefined);
  expect(replaces.length).toBeGreaterThan(2);
  expect(compatible([...replaces, ...TOLERANCES])).toContain(replaces[0]);
  expect(compatible([...replaces, ...TOLERANCES])).not.toContain(replaces[1]);
  expect(compatible(TOLERANCES.slice(0, 3))).toEqual(TOLERANCES.slice(0, 3));
});
