import type { TimestampFault } from "./repair_timestamp.ts";

/** One way in which a pattern can be odd. */
export interface PatternKind {
  /** Stable name. */
  kind: string;
  description: string;
  /** The decision that repairs such a pattern; null where there is none. */
  decision: "nonFinite" | "timestamps" | null;
  /** The field whose value is shown. */
  field: string;
}

/** Tokens that Python's json module writes (ruling U-nonfinite). */
export const nonFiniteKind = (field: string): PatternKind => ({
  kind: "pattern_non_finite",
  description: "NaN or Infinity in the context or the tags of a pattern",
  decision: "nonFinite",
  field,
});

const FAULTS: Record<TimestampFault, string> = {
  with_zone: "a timestamp of a pattern has a time zone",
  a_number: "a timestamp of a pattern is a number",
  a_date_alone: "a timestamp of a pattern is a date alone",
  without_seconds: "a timestamp of a pattern has no seconds",
};

export const timestampKind = (fault: TimestampFault, field: string): PatternKind => ({
  kind: `pattern_timestamp_${fault}`,
  description: FAULTS[fault],
  decision: "timestamps",
  field,
});

export const duplicateKind: PatternKind = {
  kind: "pattern_id_twice",
  description: "an earlier pattern has the same id",
  decision: null,
  field: "id",
};

export const notUtf8Kind = (field: string): PatternKind => ({
  kind: "pattern_text_not_utf8",
  description: "text of a pattern is not UTF-8",
  decision: null,
  field,
});

export const invalidKind = (field: string): PatternKind => ({
  kind: `pattern_${field}_invalid`,
  description: `the ${field} of a pattern cannot be read`,
  decision: null,
  field,
});

/** Tokens that are not JSON in a document, where it holds no patterns. */
export const outsideKind: PatternKind = {
  kind: "library_non_finite",
  description: "NaN or Infinity in the document, beside the patterns",
  decision: "nonFinite",
  field: "",
};
