/**
 * Errors that code of the caller threw during a call: a clock, an iterable of records, a progress callback. They may
 * come from a file or database of the caller, and must not be reported as errors of perdura's own data.
 */
const callerErrors = new WeakSet<object>();

/** True for an error that {@link markCallerError} or {@link runCallerCode} has marked. */
export function isCallerError(error: unknown): boolean {
  return typeof error === "object" && error !== null && callerErrors.has(error);
}

/** Marks an error as thrown by the caller's code, so that it reaches the caller unchanged. */
export function markCallerError<Value>(error: Value): Value {
  if (typeof error === "object" && error !== null) callerErrors.add(error);
  return error;
}

/** Runs code of the caller; an error that it throws reaches the caller unchanged. */
export function runCallerCode<Result>(code: () => Result): Result {
  try {
    return code();
  } catch (error) {
    throw markCallerError(error);
  }
}
