import type { CorpusFolders } from "../corpus/load_cases.ts";
import type { Profile } from "../corpus/load_profile.ts";
import type { ExpectedFailure } from "../expectations/expected_failures.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import type { CaseRecord, ReportRecord } from "../report/record.ts";
import type { Summary } from "../report/summary.ts";
import type { Selection } from "./selection.ts";

/** What `runSuite` takes. */
export interface SuiteOptions extends Selection {
  /** The implementation: `implementationAdapter`, `commandAdapter` or `inProcessAdapter`. */
  adapter: AdapterSource;
  /** Wanted major version (`"16"`) or full version (`"16.0.0-rc.1"`); without it the adapter's own. */
  line?: string;
  /** Longest wait for one answer, in milliseconds; 10 000 without it. */
  timeoutMs?: number;
  /** How many adapters work side by side, each in a process of its own; 1 without it, and always in this process. */
  workers?: number;
  /** A whole number that shuffles the order in which cases are run; without it the order of the ids. */
  seed?: number;
  /** The part of the specification to judge by; without it all of it. */
  profile?: Profile;
  /** Cases that are known not to pass. */
  expectedFailures?: readonly ExpectedFailure[];
  /** The present day, `YYYY-MM-DD` in UTC, for entries that expire; without it the clock's. */
  today?: string;
  /** Called with each line of the report as soon as it is known. */
  onRecord?: (record: ReportRecord) => void;
  /** Another corpus than the shipped one. */
  corpus?: CorpusFolders & { requirements?: string };
}

/** What `runSuite` gives back. */
export interface SuiteResult {
  summary: Summary;
  /** One record for each case file, in the order of the ids. */
  cases: CaseRecord[];
  /** The whole report; every other form of it is a function of these. */
  records: ReportRecord[];
}

/** The line that was asked for is not the one that the adapter serves. */
export class LineMismatch extends Error {}

/** A case, an area or a requirement was asked for that does not exist. */
export class UnknownSelection extends Error {}
