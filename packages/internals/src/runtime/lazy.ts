/** Returns a function that makes a value at its first call, and returns the same value at each call. */
export function lazy<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
