import { MAX_DEPTH } from "../json/values.ts";
import { PATTERN_FIELDS, type PatternField } from "./pattern_fields.ts";

/** Stable codes of the reasons why version 16 cannot read a pattern. */
export type PatternCode =
  | "not_an_object"
  | "missing"
  | "empty"
  | "number_as_id"
  | "blob_as_id"
  | "characters"
  | "duplicate"
  | "non_finite"
  | "timestamp_with_zone"
  | "timestamp_a_number"
  | "timestamp_a_date_alone"
  | "timestamp_without_seconds"
  | "timestamp_other_notation"
  | "timestamp_empty"
  | "timestamp_invalid"
  | "wrong_type"
  | "not_an_integer"
  | "out_of_range"
  | "not_json"
  | "not_utf8"
  | "too_deep";

/** The value that a repair puts in the place of another. */
export type Effect =
  /** Null, which an optional field reads as its default. */
  | "null"
  /** The token as text, such as `"NaN"`. */
  | "text"
  /** The timestamp in the form of specification section 2.1. */
  | "timestamp"
  /** A unique identifier. */
  | "id";

/** The effect of each option on a problem; without an effect, the option does not help. */
export interface Effects {
  nonFiniteNull?: Effect | undefined;
  nonFiniteText?: Effect | undefined;
  timestamps?: Effect | undefined;
  ids?: Effect | undefined;
}

/** Fields in which a problem can be, and its repairs there. */
interface Place {
  /** Names of fields; `tags/` means an entry of the tags, `context/` a value in the context or in an unknown field. */
  in: readonly (PatternField | "tags/" | "context/" | "")[];
  effects: Effects;
}

/** One kind of problems. */
export interface Kind {
  /** A sentence without a full stop; `{field}` stands for the field. */
  text: string;
  places: readonly Place[];
}

const IDS = ["id", "agent_id"] as const;
const TIMESTAMPS = ["discovered_at", "last_used"] as const;
const NEW_ID: readonly Place[] = [{ in: IDS, effects: { ids: "id" } }];
const NO_REPAIR: readonly Place[] = [{ in: PATTERN_FIELDS, effects: {} }];
const convertible = (text: string, effect: Effect = "timestamp"): Kind => ({
  text,
  places: [{ in: TIMESTAMPS, effects: { timestamps: effect } }],
});

/**
 * All reasons why version 16 cannot read a pattern, with what each option of the migrator does about them. Every
 * problem can also be quarantined with its pattern.
 */
export const PATTERN_KINDS: Readonly<Record<PatternCode, Kind>> = {
  missing: { text: "{field} is missing", places: [...NEW_ID, { in: ["pattern_type", "name"], effects: {} }] },
  empty: { text: "{field} is empty", places: NEW_ID },
  number_as_id: { text: "{field} is a number", places: NEW_ID },
  blob_as_id: { text: "{field} is a blob", places: NEW_ID },
  characters: { text: "{field} has a NUL character or half of a surrogate pair", places: NEW_ID },
  duplicate: { text: "another pattern has the same id", places: [{ in: ["id"], effects: { ids: "id" } }] },
  non_finite: {
    text: "NaN or Infinity in {field}",
    places: [
      { in: ["context/", "description", "code"], effects: { nonFiniteNull: "null", nonFiniteText: "text" } },
      { in: ["tags/", "id", "agent_id", "pattern_type", "name"], effects: { nonFiniteText: "text" } },
      {
        in: [
          "confidence",
          "usage_count",
          "success_count",
          "failure_count",
          "context",
          "tags",
          "discovered_at",
          "last_used",
        ],
        effects: { nonFiniteNull: "null", nonFiniteText: "null" },
      },
    ],
  },
  timestamp_with_zone: convertible("{field} has a time zone"),
  timestamp_a_number: convertible("{field} is a number"),
  timestamp_a_date_alone: convertible("{field} is a date without a time"),
  timestamp_without_seconds: convertible("{field} has no seconds"),
  timestamp_other_notation: convertible("{field} is written in another form of ISO 8601"),
  timestamp_empty: convertible("{field} is empty", "null"),
  timestamp_invalid: { text: "{field} is not a timestamp", places: [{ in: TIMESTAMPS, effects: {} }] },
  wrong_type: { text: "{field} has the wrong type", places: NO_REPAIR },
  not_an_integer: {
    text: "{field} is not an integer",
    places: [{ in: ["usage_count", "success_count", "failure_count"], effects: {} }],
  },
  out_of_range: {
    text: "{field} is beyond 2^53-1",
    places: [{ in: ["usage_count", "success_count", "failure_count"], effects: {} }],
  },
  not_json: { text: "{field} is not JSON text", places: [{ in: ["context", "tags"], effects: {} }] },
  not_utf8: { text: "{field} is not UTF-8 text", places: NO_REPAIR },
  too_deep: {
    text: `{field} is nested deeper than ${MAX_DEPTH} levels, which version 16 cannot save`,
    places: [{ in: ["context"], effects: {} }],
  },
  not_an_object: { text: "the pattern is not an object", places: [{ in: [""], effects: {} }] },
};

/** The identifier that the option `--pattern-ids assign` gives, in words. */
export function assignedText(code: PatternCode, field: string): string {
  const isAgent = field === "agent_id";
  switch (code) {
    case "number_as_id":
      return isAgent ? "its text" : "its text if that is free, otherwise a new unique id";
    case "blob_as_id":
      return isAgent
        ? "its text in UTF-8, otherwise its bytes in hexadecimal"
        : "its text in UTF-8 if that is free, otherwise its bytes in hexadecimal";
    case "characters":
      return "text with %00 or %uD800 in place of such a character";
    default:
      return isAgent ? "unknown" : "a new unique id";
  }
}

/** The value that version 16 reads for a field that is null. */
export function defaultText(field: string): string {
  return field === "confidence" ? "0.5" : field.endsWith("_count") ? "0" : "no value";
}

/** The effects of the options on a problem at a pointer within a pattern. */
export function effectsOn(code: PatternCode, pointer: string): Effects {
  const [, first = "", ...below] = pointer.split("/");
  const isField = PATTERN_FIELDS.some((field) => field === first);
  const place =
    isField && below.length === 0 ? first : first === "tags" ? "tags/" : code === "non_finite" ? "context/" : first;
  return (
    PATTERN_KINDS[code].places.find(({ in: places }) => (places as readonly string[]).includes(place))?.effects ?? {}
  );
}
