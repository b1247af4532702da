/**
 * Lets the program go on when nobody reads what it prints any more (`… | head -1`): a migration must not end in the
 * middle because of its words. What it did is in the saved report and in the exit code.
 */
export function surviveClosedPipes(): void {
  let told = false;
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" || told) return;
    told = true;
    process.stderr.write(`perdura-migrate: the output could not be written: ${error.message}\n`);
  });
}
