/** Rows by their keys; whatever bound is absent, they go on that way to the end. */
export interface KeyRange {
  /** The lowest key. */
  first?: string | undefined;
  /** The highest key. */
  last?: string | undefined;
  /** A key below all of them. */
  after?: string | undefined;
  /** A key above all of them. */
  before?: string | undefined;
}

/** The comparisons that a key in a range passes, in SQL. */
export function boundsOf({ first, last, after, before }: KeyRange): { than: string; key: string }[] {
  return [
    { than: ">=", key: first },
    { than: "<=", key: last },
    { than: ">", key: after },
    { than: "<", key: before },
  ].filter((bound): bound is { than: string; key: string } => bound.key !== undefined);
}
