import type { CorpusFolders } from "../corpus/load_cases.ts";
import type { Profile } from "../corpus/load_profile.ts";
import type { ExpectedFailure } from "./expected_failures.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import type { CaseRecord, ReportRecord } from "../results/record.ts";
import type { Summary } from "../results/summary.ts";
import type { Selection } from "./selection.ts";

/** Options of `runSuite`. */
export interface SuiteOptions extends Selection {
  /** The implementation: `implementationAdapter`, `commandAdapter` or `inProcessAdapter`. */
  adapter: AdapterSource;
  /** Required major version (`"16"`) or full version (`"16.0.0-rc.1"`); by default the adapter's own. */
  line?: string;
  /** Timeout of one answer, in milliseconds; 10 000 by default. */
  timeoutMs?: number;
  /**
   * Number of adapters that run in parallel, each in its own process; 1 by default, and the only value in this process.
   */
  workers?: number;
  /** Seed that shuffles the order in which cases run, a whole number; by default they run in the order of the ids. */
  seed?: number;
  /**
   * Number of sequences of each generated case, from 1; 60 by default. `seed` chooses them; by default they are the same
   * in each run.
   */
  runs?: number;
  /** The part of the specification to judge by; all of it by default. */
  profile?: Profile;
  /** Ends the run early: the running case is ended, and it and the remaining ones are `not-run`. */
  signal?: AbortSignal;
  /** Cases that are known to fail. */
  expectedFailures?: readonly ExpectedFailure[];
  /** The list that `expectedFailures` of the result corrects; by default that of the expected failures. */
  formerList?: readonly ExpectedFailure[];
  /** Current day, `YYYY-MM-DD` in UTC, for entries that expire; that of the clock by default. */
  today?: string;
  /**
   * A folder in which failed cases are kept: their files, all messages, the output to stderr, and the cases themselves,
   * those of generated sequences shortened.
   */
  keep?: string;
  /** Called with each line of the report as soon as it is known. */
  onRecord?: (record: ReportRecord) => void;
  /** Another corpus than that of this package. */
  corpus?: CorpusFolders & { requirements?: string };
}

/** Result of `runSuite`. */
export interface SuiteResult {
  summary: Summary;
  /** One record for each case file, in the order of the ids. */
  cases: CaseRecord[];
  /** The list of expected failures with which this run is as expected. */
  expectedFailures: ExpectedFailure[];
  /** The whole report; every other report is derived from it. */
  records: ReportRecord[];
}

/** The adapter does not implement the requested line. */
export class LineMismatch extends Error {}

/** The adapter declares a choice that is probably mistyped. */
export class MistypedChoice extends Error {}

/** A selected case, area or requirement does not exist. */
export class UnknownSelection extends Error {}
