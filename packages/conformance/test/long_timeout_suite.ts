import { PATIENCE_MS } from "../../../test/patience.ts";
import { runSuite } from "../src/runner/run_suite.ts";
import type { SuiteOptions, SuiteResult } from "../src/runner/suite_options.ts";

/** `runSuite` on a slow or busy machine: only a hang exceeds the timeout. */
export const runWithLongTimeout = (options: SuiteOptions): Promise<SuiteResult> =>
  runSuite({ timeoutMs: PATIENCE_MS, ...options });
