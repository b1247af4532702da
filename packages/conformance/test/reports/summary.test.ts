import { describe, expect, it } from "vitest";
import { violations } from "../../src/values/schemas.ts";
import { jsonReport, summarise } from "../../src/results/summary.ts";
import { everything } from "./everything.ts";
import { caseRecord, RUN, stream } from "./sample_records.ts";

describe("the JSON summary", () => {
  it("has counts, scores, and the cases that need attention", () => {
    expect(violations("summary", JSON.parse(jsonReport(everything())))).toEqual([]);
    expect(summarise(everything())).toMatchObject({
      implementation: "acme 1.2.0",
      line: "16",
      exit_code: 4,
      conformant: false,
      levels: { must: { passed: 1, applicable: 6 }, should: { passed: 1, applicable: 1 } },
      attention: [
        { id: "alpha/crashes", verdict: "crash" },
        { id: "alpha/fails", verdict: "fail" },
        { id: "beta/missing", verdict: "unsupported" },
      ],
      expected_failures: [{ id: "beta/known", verdict: "fail" }],
      unexpected: expect.arrayContaining([{ id: "beta/gone", what: "the entry is stale" }]),
    });
  });
  it("its schema refuses unknown members", () => {
    expect(violations("summary", { ...summarise(everything()), more: 1 })).not.toEqual([]);
    expect(violations("summary", { ...summarise(everything()), exit_code: 2 })).not.toEqual([]);
  });
  it("omits cases outside the profile", () => {
    const outside = caseRecord("a/b", { verdict: "not-run", outside_profile: true });
    expect(summarise(stream([caseRecord("a/a"), outside])).levels.must).toEqual({ passed: 1, applicable: 1 });
  });
  it("refuses an incomplete stream", () => expect(() => summarise([RUN])).toThrow(/is incomplete/));
});
