const cleanups: Set<() => void> = new Set();

/**
 * Cleans up when this process ends before it came to that itself, by an interruption for example.
 *
 * @returns Cleans up now instead.
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

/** The last first: an adapter has to be gone before its sandbox. */
function cleanUpAll(): void {
  for (const cleanUp of [...cleanups].toReversed()) cleanUp();
}
