import { readCorpus } from "../src/corpus/corpus.ts";
import { isInProfile, loadProfile } from "../src/corpus/load_profile.ts";
import type { CaseRecord } from "../src/results/record.ts";
import { conclude } from "../src/runner/accounting.ts";
import { neededCapabilities } from "../src/runner/selection.ts";
import type { SuiteResult } from "../src/runner/suite_options.ts";

/** The judgement that a run by a profile would give, from a run of all cases. */
export function judgedByProfile({ cases, summary }: SuiteResult, name: string): ReturnType<typeof conclude> {
  const profile = loadProfile(name);
  const inside = readCorpus().cases.filter((loaded) =>
    isInProfile(profile, loaded, neededCapabilities(loaded, String(summary.spec_version))),
  );
  const ids = new Set(inside.map((loaded) => loaded.case.id));
  return conclude(
    cases.map((record) => (ids.has(record.id) ? record : outside(record))),
    [],
    0,
  );
}

const outside = (record: CaseRecord): CaseRecord =>
  record.verdict === "inapplicable" ? record : { ...record, verdict: "not-run", outside_profile: true };
