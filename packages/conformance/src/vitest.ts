/**
 * Runs the suite as tests of Vitest.
 *
 * @module
 */
import { EXIT } from "@perdura/cli/exit_codes.js";
import { beforeAll, describe, it } from "vitest";
import { readCorpus } from "./corpus/corpus.ts";
import { caseEntries, reasonOf } from "./results/case_text.ts";
import { viewOf } from "./results/report_view.ts";
import { runSuite } from "./runner/run_suite.ts";
import type { SuiteOptions, SuiteResult } from "./runner/suite_options.ts";
import { isSelected } from "./runner/selection.ts";

/**
 * Adds the suite to the tests of an implementation: every case becomes a test. A case that is not run (another version,
 * an undeclared capability, outside the profile) is skipped with the reason. An unexpected failure fails, and so does a
 * must whose capability is not declared.
 * @param options as for {@link runSuite}: the adapter and a selection.
 * @example
 * ```ts
 * import { inProcessAdapter } from "@perdura/conformance";
 * import { conformance } from "@perdura/conformance/vitest";
 * import { MyAdapter } from "./my_adapter.ts";
 *
 * conformance({ adapter: inProcessAdapter("mine", () => new MyAdapter()), line: "16" });
 * ```
 */
export function conformance(options: SuiteOptions): void {
  describe(`conformance of ${options.adapter.name}`, () => {
    const cases = readCorpus(options.corpus).cases.filter((loaded) => isSelected(loaded, options));
    let result: SuiteResult;
    beforeAll(
      async () => {
        result = await runSuite(options);
      },
      cases.length * (options.timeoutMs ?? 10_000),
    );

    for (const { case: tested } of cases) {
      it(`${tested.id}: ${tested.title}`, (context) => {
        const record = result.cases.find(({ id }) => id === tested.id);
        if (!record) throw new Error(`${tested.id} has no verdict`);
        const unexpected = result.summary.unexpected.filter(({ id }) => id === tested.id);
        if (unexpected.length > 0 || record.verdict === "harness-error") {
          const what = unexpected.map((deviation) => deviation.what).join("; ");
          const entries = caseEntries(record, viewOf(result.records), { failures: 10, requirements: 10, value: 2000 });
          throw new Error([what, ...entries.map(([label, text]) => `${label}: ${text}`)].join("\n"));
        }
        const left = ["not-run", "inapplicable", "unsupported"].includes(record.verdict);
        if (left || record.expected) context.skip(reasonOf(record) ?? `expected failure: ${record.verdict}`);
      });
    }

    it("has a judgement", () => {
      const { exit_code, notes, unexpected } = result.summary;
      if (exit_code === EXIT.failed) throw new Error(`no judgement: ${notes.join("; ")}`);
      const stale = unexpected.filter(({ id }) => !cases.some((loaded) => loaded.case.id === id));
      if (stale.length > 0) throw new Error(stale.map(({ id, what }) => `${id}: ${what}`).join("\n"));
    });
  });
}
