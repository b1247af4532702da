import { join } from "node:path";
import { RULED } from "../../packages/conformance/adapters/rulings.ts";
import { readCorpus } from "../../packages/conformance/src/corpus/corpus.ts";
import { packageRoot } from "../../packages/conformance/src/package_root.ts";
import { badgeSvg } from "../../packages/conformance/src/report/badge.ts";
import type { CaseRecord, ReportRecord } from "../../packages/conformance/src/results/record.ts";
import { conclude, countVerdicts } from "../../packages/conformance/src/runner/accounting.ts";
import { blankRecord } from "../../packages/conformance/src/runner/run_case.ts";
import { applies } from "../../packages/conformance/src/runner/selection.ts";

/** The badges of the README: those of our lines if every case passes, which the self-test checks. */
export function conformanceBadges(): [file: string, text: string][] {
  return ["15", "16"].map((line) => [
    join(packageRoot(), "..", "..", "docs", "badges", `conformance-${line}.svg`),
    badgeSvg(recordsOf(line)),
  ]);
}

/** The records of a run in which every case that applies to the line passes. */
function recordsOf(line: string): ReportRecord[] {
  const { requirements, cases } = readCorpus();
  const version = `${line}.0.0`;
  const records = cases.map((loaded): CaseRecord => ({
    ...blankRecord(loaded, RULED),
    verdict: applies(loaded, version) ? "pass" : "inapplicable",
  }));
  return [
    {
      record: "run",
      format: 1,
      suite: "",
      adapter: "",
      transport: "in-process",
      option: "",
      line,
      spec_version: version,
      implementation: null,
      capabilities: [],
      choices: RULED,
      profile: null,
      seed: null,
    },
    ...[...requirements.values()].map((row) => ({ record: "requirement" as const, ...row })),
    ...records,
    {
      record: "end",
      counts: countVerdicts(records),
      case_files: records.length,
      ...conclude(records, [], 0),
      notes: [],
      unexpected: [],
    },
  ];
}
