/**
 * What code of the caller threw while it ran on our behalf: a clock, records that come one by one, whoever hears of
 * progress. It may look like an error of a file or a database, its own, and says nothing about ours.
 */
const thrown = new WeakSet<object>();

/** True for what {@link runCallers} and {@link itemsOfCaller} let through. */
export function isOfCaller(error: unknown): boolean {
  return typeof error === "object" && error !== null && thrown.has(error);
}

/** Runs code of the caller; what it throws reaches the caller unchanged. */
export function runCallers<Result>(code: () => Result): Result {
  try {
    return code();
  } catch (error) {
    throw noted(error);
  }
}

/** The items that the caller's code gives; what it throws meanwhile reaches the caller unchanged. */
export function* itemsOfCaller<Item>(items: Iterable<Item>): Generator<Item, void> {
  try {
    yield* items;
  } catch (error) {
    throw noted(error);
  }
}

function noted(error: unknown): unknown {
  if (typeof error === "object" && error !== null) thrown.add(error);
  return error;
}
