/** Parts of an object that are on their way at the same time, and in memory. */
const AT_ONCE = 2;

/** Does a task for each index, some at the same time. Where one fails, the others are stopped and waited for. */
export async function inTurns(
  count: number,
  signal: AbortSignal | undefined,
  task: (index: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const either = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count && !failed.signal.aborted) {
      const index = next;
      next += 1;
      try {
        await task(index, either);
      } catch (error) {
        // The first reason stays.
        failed.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, worker));
  failed.signal.throwIfAborted();
}
