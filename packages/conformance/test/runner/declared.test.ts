import { expect, test } from "vitest";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import type { Answer, Introduction, Request } from "../../src/protocol/messages.ts";
import { runSuite } from "../../src/runner/run_suite.ts";
import type { Selection } from "../../src/runner/selection.ts";
import type { SuiteResult } from "../../src/runner/suite_options.ts";
import { junitReport } from "../../src/report/junit.ts";
import { badgeSvg } from "../../src/report/badge.ts";

type Call = Extract<Request, { type: "call" }>;

/** Runs cases with an adapter that declares something and answers its calls by a function. */
function judge(
  declared: Partial<Introduction>,
  answer: (call: Call) => Partial<Answer>,
  cases: string[],
  line = "16",
  selection: Selection = {},
): Promise<SuiteResult> {
  const introduction: Introduction = {
    protocol: 1,
    spec_version: "16.0.0",
    implementation: { name: "declaring", version: "1.0.0", language: "TypeScript" },
    capabilities: [],
    choices: {},
    ...declared,
  };
  const adapter = inProcessAdapter("declaring", () => ({
    handle(request) {
      const { seq } = request;
      if (request.type === "hello") return { seq, type: "ok", ...introduction };
      return (request.type === "call" ? { seq, ...answer(request) } : { seq, type: "ok" }) as Answer;
    },
  }));
  return runSuite({ adapter, cases, line, ...selection });
}

/** A case about an open question, which does not count unless its ruling is declared. */
const OPEN = "metrics/unfit-user-ids";

test.each<[string, (call: Call) => Partial<Answer>, string]>([
  ["unsupported", () => ({ type: "unsupported", reason: "not today" }), "fail"],
  [
    "a crash",
    () => {
      throw new Error("boom");
    },
    "crash",
  ],
  ["a breach of the protocol", () => ({ type: "error" }), "protocol-error"],
])("%s in a declared group is never as expected, also in a case that does not count", async (_, answer, verdict) => {
  const { summary, cases, records } = await judge({ capabilities: ["metrics"] }, answer, [OPEN]);
  expect(cases.find(({ id }) => id === OPEN)).toMatchObject({ level: "observe", scored: true, verdict });
  expect(summary).toMatchObject({ exit_code: 4, attention: [{ id: OPEN, verdict }] });
  expect(junitReport(records)).toMatch(/failures="1"|errors="1"/);
  expect(badgeSvg(records)).not.toContain("#2c7a3f");
});

test("single operations of a group can be declared, and only their cases run", async () => {
  const ids = ["metrics/many", "metrics/columns", "metrics/all-users"];
  const { cases } = await judge(
    { capabilities: ["MetricsCollector", "record_interaction", "get_all_users", "record_metric"] },
    () => ({ type: "ok", value: null }),
    ids,
  );
  const found = Object.fromEntries(cases.map(({ id, verdict, reason }) => [id, [verdict, reason]]));
  expect(found["metrics/many"]).toEqual([
    "unsupported",
    "the adapter does not declare get_global_stats, get_user_stats",
  ]);
  expect(found["metrics/columns"]?.[0]).toBe("fail");
  expect(found["metrics/all-users"]?.[0]).toBe("fail");
});

test("groups that a language cannot have are inapplicable, with the reason", async () => {
  const { cases, summary } = await judge(
    { inapplicable: { modules: "Go links packages at build time" } },
    () => ({ type: "ok", value: null }),
    ["versioning/facade-removed"],
  );
  expect(cases.find(({ id }) => id === "versioning/facade-removed")).toMatchObject({
    verdict: "inapplicable",
    reason: "needs modules: Go links packages at build time",
  });
  expect(summary.exit_code).toBe(1);
});

test("every version below 16 is judged by --line 15, whatever it calls itself", async () => {
  const answer = (): Partial<Answer> => ({ type: "ok", value: null });
  const { summary } = await judge({ spec_version: "2.9.0" }, answer, ["state/delete"], "15");
  expect(summary).toMatchObject({ line: "15", spec_version: "2.9.0" });
  await expect(judge({ spec_version: "2.9.0" }, answer, [], "16")).rejects.toThrow("--line 16 was requested");
});

test("a section of the specification selects its requirements", async () => {
  const { cases } = await judge({}, () => ({ type: "ok", value: null }), [], "16", { requirements: ["2.3"] });
  const selected = cases.filter(({ verdict, reason }) => verdict !== "inapplicable" && reason !== "not selected");
  const cited = new Set(selected.flatMap(({ requirements }) => requirements));
  expect([...cited].filter((id) => id.startsWith("R-2.3/")).length).toBeGreaterThan(3);
  expect(selected.every(({ requirements }) => requirements.some((id) => id.startsWith("R-2.3/")))).toBe(true);
  const mistyped = judge({}, () => ({ type: "ok" }), [], "16", { requirements: ["R-2.3/patterns.agnt"] });
  await expect(mistyped).rejects.toThrow("Did you mean R-2.3/patterns.agent?");
});
