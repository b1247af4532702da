import type {
  CaseRecord,
  EndRecord,
  ReportRecord,
  RequirementRecord,
  RunRecord,
  TimingRecord,
} from "../../src/results/record.ts";
import { FAILED_VERDICTS } from "../../src/results/case_status.ts";
import { conclude, countVerdicts } from "../../src/runner/accounting.ts";

export const RUN: RunRecord = {
  record: "run",
  format: 1,
  suite: "0.1.0",
  adapter: "./adapter",
  transport: "stdio",
  option: '--adapter "./adapter"',
  line: "16",
  spec_version: "16.0.0",
  implementation: { name: "acme", version: "1.2.0", language: "C" },
  capabilities: ["metrics"],
  choices: {},
  profile: null,
  seed: null,
};

const row = (id: string, section: string, title: string, more: Partial<RequirementRecord> = {}): RequirementRecord => ({
  record: "requirement",
  id,
  section,
  title,
  level: "must",
  statement: `What ${id} asks for holds.`,
  versions: "*",
  ...more,
});

export const REQUIREMENTS: RequirementRecord[] = [
  row("R-2.1/one", "2.1", "Pattern record"),
  row("R-2.1/two", "2.1", "Pattern record", { level: "should" }),
  row("R-2.10/late", "2.10", "A late section"),
  row("R-4.1/save", "4.1", "PatternPersistence"),
  row("R-4.1/unseen", "4.1", "PatternPersistence", { unchecked: "Nothing of it can be seen." }),
  row("U-order", "2.1", "Open questions", {
    level: "observe",
    statement: "Patterns keep the order in which they were added.",
    question: "In which order do patterns come back?",
    answers: { insertion: "in the order of insertion", sorted: "sorted by id" },
    ruling: "insertion",
  }),
  row("X-many", "hardening", "Hardening", { level: "extra" }),
];

/** A case record with defaults for the fields that a test does not set. */
export const caseRecord = (id: string, more: Partial<CaseRecord> = {}): CaseRecord => ({
  record: "case",
  id,
  title: `${id} holds`,
  level: "must",
  scored: true,
  verdict: "pass",
  requirements: ["R-2.1/one"],
  failures: [],
  ...more,
});

const FAILURE = {
  step: 2,
  check: "c",
  where: "call get",
  at: "/a",
  wanted: '"2025-03-01"',
  got: '"2025-03-02"',
};

export const failing = (id: string, more: Partial<CaseRecord> = {}): CaseRecord =>
  caseRecord(id, { verdict: "fail", failures: [FAILURE], ...more });

const isDeviation = ({ scored, verdict, level }: CaseRecord): boolean =>
  scored &&
  ((FAILED_VERDICTS.has(verdict) && verdict !== "harness-error") || (verdict === "unsupported" && level === "must"));

/** A complete stream around the cases; each failure that is not expected is unexpected, as in a real run. */
export function stream(
  cases: CaseRecord[],
  {
    run = {},
    end = {},
    stray = [],
  }: { run?: Partial<RunRecord>; end?: Partial<EndRecord>; stray?: EndRecord["unexpected"] } = {},
): ReportRecord[] {
  const sorted = cases.toSorted((a, b) => Number(a.id > b.id) - Number(a.id < b.id));
  const unexpected = sorted.flatMap((record) => {
    if (record.expected)
      return record.expected.met ? [] : [{ id: record.id, what: `${record.verdict}, and not as expected` }];
    return isDeviation(record) ? [{ id: record.id, what: `${record.verdict}, not expected` }] : [];
  });
  unexpected.push(...stray);
  const judged: EndRecord = {
    record: "end",
    counts: countVerdicts(sorted),
    case_files: sorted.length,
    ...conclude(sorted, [], unexpected.length),
    notes: [],
    unexpected,
  };
  const timing: TimingRecord = {
    record: "timing",
    started_at: "2025-01-01T00:00:00.000Z",
    duration_ms: 1500,
    node: "24.0.0",
    platform: "linux-x64",
    cases: Object.fromEntries(sorted.map(({ id }, index) => [id, index + 1])),
  };
  return [{ ...RUN, ...run }, ...REQUIREMENTS, ...sorted, { ...judged, ...end }, timing];
}

/** A case about an open question whose answer differs from our ruling. */
export const observed = (id: string, more: Partial<CaseRecord> = {}): CaseRecord =>
  failing(id, {
    level: "observe",
    scored: false,
    verdict: "observed",
    as_ruled: false,
    requirements: ["U-order"],
    answers: { "U-order": "sorted" },
    ...more,
  });
