/**
 * Lets the program go on when what it prints cannot be written: work must not end in the middle because of its words. That
 * nobody reads on (`… | head -1`) is no fault; a full disk is one, because somebody will read what is missing.
 *
 * @returns To be called at the end: waits until everything is written, and says what went wrong.
 */
export function watchOutput(): () => Promise<Error | undefined> {
  let lost: Error | undefined;
  process.stderr.on("error", () => undefined);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") lost ??= error;
  });
  return async () => {
    // The callback comes in any case, with an error or without one, and errors before it have been told by then.
    for (const stream of [process.stdout, process.stderr])
      await new Promise<void>((resolve) => stream.write("", () => resolve()));
    return lost;
  };
}

/**
 * Prints text and a line end. The end is written by itself: where only the beginning of a text finds room on a disk, the
 * system says nothing, and only the next write fails.
 */
export function printLine(text: string): void {
  process.stdout.write(text);
  process.stdout.write("\n");
}
