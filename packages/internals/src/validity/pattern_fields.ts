/** The fourteen fields in the order of the specification. They are also the columns of the table `patterns`. */
export const PATTERN_FIELDS = [
  "id",
  "agent_id",
  "pattern_type",
  "name",
  "description",
  "context",
  "code",
  "confidence",
  "usage_count",
  "success_count",
  "failure_count",
  "tags",
  "discovered_at",
  "last_used",
] as const;

/** A field of a pattern. */
export type PatternField = (typeof PATTERN_FIELDS)[number];
