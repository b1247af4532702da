const sleepBuffer = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread without using the processor: the driver is synchronous, so waiting must be, too. */
export function sleep(milliseconds: number): void {
  Atomics.wait(sleepBuffer, 0, 0, milliseconds);
}
