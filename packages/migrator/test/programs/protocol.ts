/** Protocol of the writers in this folder, the same as that of `fixtures/programs/field_metrics.py`. */

/**
 * Calls `record` with 1, 2, 3 … until standard input ends. Prints `n ID` once a row is recorded; at a failure it prints
 * `failed TEXT` and exits with 1.
 */
export function recordUntilEnd(record: (number: number) => number | bigint | string): void {
  let ended = false;
  process.stdin.on("end", () => (ended = true)).resume();
  let number = 0;
  const next = (): void => {
    number += 1;
    try {
      process.stdout.write(`${number} ${String(record(number))}\n`);
    } catch (error) {
      process.stdout.write(`failed ${(error as Error).message}\n`);
      process.exitCode = 1;
      process.stdin.destroy();
      return;
    }
    if (!ended) setImmediate(next);
  };
  next();
}
