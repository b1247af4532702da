/** The closed set of matchers. Anything else in an expected value is compared strictly, at every depth. */
export const MATCHERS = [
  "$data",
  "$path",
  "$var",
  "$set",
  "$near",
  "$between",
  "$type",
  "$absentOr",
  "$oneOf",
  "$timestamp",
  "$any",
] as const;
