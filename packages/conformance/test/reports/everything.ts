import type { CaseRecord, ReportRecord } from "../../src/results/record.ts";
import { caseRecord, failing, stream } from "./sample_records.ts";

/** One case of every status, each of which a report must be able to show. */
export const EVERYTHING: CaseRecord[] = [
  caseRecord("alpha/passes"),
  failing("alpha/fails", { requirements: ["R-2.1/one", "R-4.1/save"] }),
  caseRecord("alpha/crashes", { verdict: "crash", reason: "the adapter ended", diagnostics: "one\ntwo\u001b[0m\n" }),
  failing("beta/known", {
    requirements: ["R-4.1/save"],
    expected: { verdict: "fail", kind: "bug", link: "https://example.org/7", met: true },
  }),
  caseRecord("beta/fixed", {
    level: "should",
    requirements: ["R-2.1/two"],
    expected: { verdict: "fail", kind: "bug", met: false },
  }),
  caseRecord("beta/missing", {
    verdict: "unsupported",
    reason: "the adapter does not declare export",
    requirements: ["R-2.10/late"],
  }),
  caseRecord("beta/other-line", { verdict: "inapplicable", reason: "does not apply to 16.0.0" }),
  failing("beta/hard", { level: "extra", scored: false, requirements: ["X-many"] }),
  caseRecord("gamma/order", {
    level: "observe",
    scored: false,
    verdict: "observed",
    as_ruled: false,
    answers: { "U-order": "sorted" },
    requirements: ["U-order"],
  }),
  caseRecord("gamma/left-out", { verdict: "not-run", reason: "not selected" }),
];

/** The stream of {@link EVERYTHING}, with an entry of the expected-failure list that belongs to no case. */
export const everything = (): ReportRecord[] =>
  stream(EVERYTHING, { stray: [{ id: "beta/gone", what: "the entry is stale" }] });

/** Text with which an implementation might try to take over a report. */
export const HOSTILE: string =
  '</script><script>window.stolen=1</script><img src=x onerror="window.stolen=1"> & "q" \'a\' \u0000\u0007\u001b[31m\r\n# x | `c` _e_ [l](http://x.invalid) \u2028\u2029\u202eforged\ufffe\ud800 ]]> --> {{x}} ${y} https://x.invalid';
