import { type Side, spread } from "../measure/measure.ts";

/** A call may take microseconds: a round repeats it for this many milliseconds. */
export const ROUND_MS = 100;

export function asking(name: string, call: () => unknown, close: () => void = () => undefined): Side {
  const round = (): number => {
    const end = performance.now() + ROUND_MS;
    let calls = 0;
    do {
      call();
      calls += 1;
    } while (performance.now() < end);
    return calls;
  };
  return { name, round, close };
}

/** The same for asynchronous calls; also reports the duration of one, which a ratio does not show. */
export function awaiting(name: string, call: () => Promise<unknown>, close: () => Promise<void>): Side {
  let [times, isWarm] = [[] as number[], false];
  const round = async (): Promise<number> => {
    const taken: number[] = [];
    const end = performance.now() + ROUND_MS;
    for (let start = performance.now(), now = start; now < end; start = now) {
      await call();
      now = performance.now();
      taken.push(now - start);
    }
    if (isWarm) times = [...times, ...taken];
    isWarm = true;
    return taken.length;
  };
  return { name, round, close, remarks: () => [`${name}: ${shownTimes(times)}`] };
}

function shownTimes(times: readonly number[]): string {
  const sorted = times.toSorted((left, right) => left - right);
  const most = sorted[Math.ceil(0.99 * sorted.length) - 1] ?? Number.NaN;
  return `${spread(sorted).median.toFixed(3)} ms an answer, 99 of 100 within ${most.toFixed(3)} ms`;
}
