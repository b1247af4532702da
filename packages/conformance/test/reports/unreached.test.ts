import { expect, it } from "vitest";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import type { Answer, Introduction } from "../../src/protocol/messages.ts";
import { terminalReport } from "../../src/report/terminal.ts";
import { runSuite } from "../../src/runner/run_suite.ts";
import { caseRecord, failing, observed, stream } from "./sample_records.ts";

const plain = (cases: Parameters<typeof stream>[0]): string => terminalReport(stream(cases), { colour: false });
const passing = Array.from({ length: 12 }, (_, index) => caseRecord(`passes/c-${index}`));

it("an observed difference is left out if a case that counts failed in the same way", () => {
  const error = {
    failures: [{ step: 1, where: "call save", at: "", wanted: "no error", got: "x", error: "E: no disk" }],
  };
  const other = {
    failures: [{ step: 1, where: "call save", at: "", wanted: "no error", got: "x", error: "E: unordered" }],
  };
  expect(plain([...passing, failing("a/counts", error), observed("b/order", error)])).not.toContain("other answer");
  expect(plain([...passing, failing("a/counts", error), observed("b/order", other)])).toContain(
    "other answer  U-order: sorted by id (b/order)\n  step 1, call save: our ruling no error, got x",
  );
});

it("an open question is not answered if the case ended before it was asked", async () => {
  const introduction: Introduction = {
    protocol: 1,
    spec_version: "16.0.0",
    implementation: { name: "half", version: "1.0.0", language: "TypeScript" },
    capabilities: ["patterns_json"],
    choices: {},
  };
  const adapter = inProcessAdapter("half", () => ({
    handle({ seq, type }): Answer {
      if (type === "hello") return { seq, type: "ok", ...introduction };
      if (type !== "call") return { seq, type: "ok" };
      return { seq, type: "error", kind: "other", native: "E", message: "not written yet" };
    },
  }));
  const { cases } = await runSuite({ adapter, cases: ["patterns-json/order"] });
  const record = cases.find(({ id }) => id === "patterns-json/order");
  expect(record).toMatchObject({
    verdict: "observed",
    reason: "the question was not reached: step 1, call PatternLibrary failed",
  });
  expect(record).not.toHaveProperty("as_ruled");
});
