const cleanups: Set<() => void> = new Set();

/**
 * Registers a cleanup for a process that ends early, for example by an interruption.
 *
 * @returns a function that cleans up now instead.
 */
export function atExit(cleanUp: () => void): () => void {
  if (cleanups.size === 0) process.on("exit", cleanUpAll);
  cleanups.add(cleanUp);
  return () => {
    cleanups.delete(cleanUp);
    if (cleanups.size === 0) process.off("exit", cleanUpAll);
    cleanUp();
  };
}

/** In reverse order: an adapter must have ended before its sandbox is removed. */
function cleanUpAll(): void {
  for (const cleanUp of [...cleanups].toReversed()) cleanUp();
}
