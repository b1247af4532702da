import { PATIENCE_MS } from "../../../test/patience.ts";
import { runSuite } from "../src/runner/run_suite.ts";
import type { SuiteOptions, SuiteResult } from "../src/runner/suite_options.ts";

/** `runSuite` on a machine that may be slow or busy: what waits for ever is ended, and nothing else. */
export const patientSuite = (options: SuiteOptions): Promise<SuiteResult> =>
  runSuite({ timeoutMs: PATIENCE_MS, ...options });
