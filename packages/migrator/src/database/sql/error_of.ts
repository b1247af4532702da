/** The error of an attempt; undefined if it succeeds. */
export function errorOf(attempt: () => unknown): Error | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
