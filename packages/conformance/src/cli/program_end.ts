import { setImmediate as turn } from "node:timers/promises";

/** Makes Ctrl-C (SIGINT) and SIGTERM end the program with exit code 130 and a sentence; a second one ends it at once. */
export function endOnInterrupt(): void {
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => {
      process.stderr.write("perdura-conformance: Interrupted.\n");
      process.exit(130);
    });
}

/** Ends the program when everything is written. */
export async function endProgram(code: number): Promise<never> {
  // An interruption that arrived during the work counts. The first turn may come before the event loop has looked.
  await turn();
  await turn();
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => stream.write("", () => resolve()));
  // Node.js would tidy up before an end of its own accord, and there Ctrl-C would kill it.
  process.exit(code);
}
