/** One thing that the suite proves about itself. */
export interface SelfCheck {
  /** `runner corpus`, `faulty adapters`, `mutants` or `tolerant implementations`. */
  part: string;
  name: string;
  /** Why it failed; undefined when it held. */
  fault?: string;
}

/** A check whose fault is the first sentence that applies. */
export function selfCheck(part: string, name: string, ...faults: (string | false | undefined)[]): SelfCheck {
  const fault = faults.find((candidate) => typeof candidate === "string" && candidate !== "");
  return { part, name, ...(typeof fault === "string" ? { fault } : {}) };
}

/** Longest wait for one answer, in milliseconds: verdicts of the self-test are the same on a busy machine. */
export const PATIENT_MS = 600_000;
