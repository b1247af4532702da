import type { SelfCheck } from "../../src/selftest/self_check.ts";

/** Number of checks that hold, and the checks that do not. */
export async function outcome(checks: AsyncGenerator<SelfCheck>): Promise<{ hold: number; faults: SelfCheck[] }> {
  const faults: SelfCheck[] = [];
  let hold = 0;
  for await (const check of checks) {
    if (check.fault === undefined) hold += 1;
    else faults.push(check);
  }
  return { hold, faults };
}
