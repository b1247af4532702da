import { setTimeout as after } from "node:timers/promises";
import {
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestRunner,
} from "@stryker-mutator/api/test-runner";

/**
 * Tries tests on a mutant for a limited time; then the runner, whose tests hang, is begun anew. Stryker itself would wait
 * for as long as all tests take that reach the mutant.
 *
 * @param limitMs In milliseconds.
 */
export async function runLimited(
  runner: TestRunner,
  options: MutantRunOptions,
  limitMs: number,
): Promise<MutantRunResult> {
  const ended = new AbortController();
  const run = runner.mutantRun(options).finally(() => ended.abort());
  const result = await Promise.race([run, after(limitMs, undefined, { signal: ended.signal }).catch(() => run)]);
  if (result !== undefined) return result;
  // It fails when what it waits for is taken away.
  run.catch(() => undefined);
  await runner.dispose?.();
  await runner.init?.();
  return { status: MutantRunStatus.Timeout, reason: `no end within ${limitMs} ms` };
}
