let watchesErrors = false;

/**
 * Ignores errors of stderr. Must be called before something is written to it; opening it takes a program that only prints
 * its help a tenth of its time.
 */
export function watchErrors(): void {
  if (!watchesErrors) process.stderr.on("error", () => undefined);
  watchesErrors = true;
}

/**
 * Lets the program continue when its output cannot be written, because that must not interrupt its work. A closed pipe
 * (`… | head -1`) is not an error; a full disk is one, because the output is incomplete.
 *
 * @returns A function to call at the end: it waits until all output is written, and returns the error.
 */
export function watchOutput(): () => Promise<Error | undefined> {
  let lost: Error | undefined;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") lost ??= error;
  });
  return async () => {
    // The callback is always called, with or without an error, after all earlier errors were reported.
    for (const stream of [process.stdout, ...(watchesErrors ? [process.stderr] : [])])
      await new Promise<void>((resolve) => stream.write("", () => resolve()));
    return lost;
  };
}

/**
 * Prints text and a line end. The line end is written separately: if only a part of a text fits on a disk, the write
 * succeeds, and only the next one fails.
 */
export function printLine(text: string): void {
  process.stdout.write(text);
  process.stdout.write("\n");
}
