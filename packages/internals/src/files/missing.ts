/** Runs a task on a file; returns undefined if the file or its directory does not exist. */
export function unlessMissing<Result>(task: () => Result): Result | undefined {
  try {
    return task();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
