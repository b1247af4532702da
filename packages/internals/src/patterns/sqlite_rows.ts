import { ValidationError } from "../errors/errors.ts";
import { quote } from "../text/describe.ts";
import { jsonObjectText } from "../json/object_text.ts";
import { ordinaryLength } from "../json/ordinary_value.ts";
import { type Pattern } from "./pattern.ts";
import { PATTERN_FIELDS } from "../validity/pattern_fields.ts";

/** The values of one row of the table `patterns`, in the order of {@link PATTERN_FIELDS}. */
export type PatternRow = (string | number | null)[];

const TEXT_FIELDS = ["pattern_type", "name", "description", "code"] as const satisfies readonly (keyof Pattern)[];

/** Properties of a database that stores the rows. */
export interface RowStore {
  name: string;
  /** True if text may contain NUL characters. */
  takesNul: boolean;
}

const SQLITE: RowStore = { name: "SQLite", takesNul: true };

/**
 * Converts a pattern to the values of its row.
 *
 * @param place Name of the database in messages.
 * @throws ValidationError for a lone surrogate in a text field, which UTF-8 would turn into U+FFFD (ruling U-text), and
 * for a NUL character if the database does not accept it.
 */
export function patternRow(pattern: Pattern, place: string, store: RowStore = SQLITE): PatternRow {
  for (const field of TEXT_FIELDS) {
    const fault = textFault(pattern[field], store);
    if (fault !== undefined) {
      throw new ValidationError(
        `${field} contains ${fault}, which ${store.name} cannot store; JSON can. Nothing was written to ${place}.`,
        { subject: `pattern ${quote(pattern.id)}`, argument: "library", path: place, pointer: `/${field}` },
      );
    }
  }
  return PATTERN_FIELDS.map((field) => columnValue(pattern, field));
}

function textFault(text: string | null, { takesNul }: RowStore): string | undefined {
  if (text?.isWellFormed() === false) return "a lone surrogate";
  return !takesNul && text?.includes("\0") === true ? "a NUL character" : undefined;
}

/** True for a pattern for which {@link ordinaryRow} and {@link patternRow} return the same row. */
export function hasOrdinaryRow(pattern: Pattern): boolean {
  return (
    TEXT_FIELDS.every((field) => pattern[field]?.isWellFormed() !== false) &&
    !Number.isNaN(ordinaryLength(pattern.context))
  );
}

/**
 * The row of a pattern without invalid text and without values that native `JSON.stringify` would write incorrectly.
 */
export function ordinaryRow(pattern: Pattern): PatternRow {
  return [
    pattern.id,
    pattern.agent_id,
    pattern.pattern_type,
    pattern.name,
    pattern.description,
    pattern.context === null ? null : JSON.stringify(pattern.context),
    pattern.code,
    pattern.confidence,
    pattern.usage_count,
    pattern.success_count,
    pattern.failure_count,
    pattern.tags === null ? null : JSON.stringify(pattern.tags),
    pattern.discovered_at,
    pattern.last_used,
  ];
}

function columnValue(pattern: Pattern, field: (typeof PATTERN_FIELDS)[number]): string | number | null {
  switch (field) {
    case "context":
      return pattern.context === null
        ? null
        : jsonObjectText(pattern.context, `pattern ${quote(pattern.id)}: context`, "library");
    case "tags":
      return pattern.tags === null ? null : JSON.stringify(pattern.tags);
    default:
      return pattern[field];
  }
}
