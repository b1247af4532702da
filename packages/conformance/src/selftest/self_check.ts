/** One check of the suite itself. */
export interface SelfCheck {
  /** `runner corpus`, `faulty adapters`, `mutants` or `tolerant implementations`. */
  part: string;
  name: string;
  /** Reason of a failure; undefined if the check passed. */
  fault?: string;
}

/** A check with the first fault that applies. */
export function selfCheck(part: string, name: string, ...faults: (string | false | undefined)[]): SelfCheck {
  const fault = faults.find((candidate) => typeof candidate === "string" && candidate !== "");
  return { part, name, ...(typeof fault === "string" ? { fault } : {}) };
}

/**
 * Timeout of one answer, in milliseconds; long, so that the verdicts of the self-test are the same on a busy machine.
 */
export const LONG_TIMEOUT_MS = 600_000;
