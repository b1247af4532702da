/**
 * Errors that the caller's code threw inside of a call: a clock, an iterable of records, a progress callback. They may be
 * errors of the caller's own file or database, and say nothing about ours.
 */
const thrown = new WeakSet<object>();

/** True for an error that {@link ofCaller} was given or {@link runCallers} met. */
export function isOfCaller(error: unknown): boolean {
  return typeof error === "object" && error !== null && thrown.has(error);
}

/** Notes that the caller's code threw this, so that it reaches the caller unchanged. */
export function ofCaller<Thrown>(error: Thrown): Thrown {
  if (typeof error === "object" && error !== null) thrown.add(error);
  return error;
}

/** Runs code of the caller; what it throws reaches the caller unchanged. */
export function runCallers<Result>(code: () => Result): Result {
  try {
    return code();
  } catch (error) {
    throw ofCaller(error);
  }
}
