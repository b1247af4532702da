/** Does something with a file; undefined when the file, or its directory, is not there. */
export function unlessMissing<Result>(task: () => Result): Result | undefined {
  try {
    return task();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
