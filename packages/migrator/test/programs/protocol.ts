/** How the writers of this folder speak: as `fixtures/programs/field_metrics.py` does. */

/**
 * Calls `record` with 1, 2, 3 … until standard input ends. Prints `n ID` once a row is recorded, `failed TEXT` where it is
 * not, and ends with exit code 1 then.
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
