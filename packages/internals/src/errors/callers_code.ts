/**
 * Errors that code of the caller threw during a call: a clock, an iterable of records, a progress callback. They may
 * come from a file or database of the caller, and must not be reported as errors of perdura's own data.
 */
const thrown = new WeakSet<object>();

/** True for an error that {@link ofCaller} or {@link runCallers} has marked. */
export function isOfCaller(error: unknown): boolean {
  return typeof error === "object" && error !== null && thrown.has(error);
}

/** Marks an error as thrown by the caller's code, so that it reaches the caller unchanged. */
export function ofCaller<Thrown>(error: Thrown): Thrown {
  if (typeof error === "object" && error !== null) thrown.add(error);
  return error;
}

/** Runs code of the caller; an error that it throws reaches the caller unchanged. */
export function runCallers<Result>(code: () => Result): Result {
  try {
    return code();
  } catch (error) {
    throw ofCaller(error);
  }
}
