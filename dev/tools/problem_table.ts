/** The table of problems with patterns in the README of the migrator, from the data that the programs decide by. */
import { LIBRARY_KINDS } from "../../packages/internals/src/validity/library_kinds.ts";
import {
  assignedText,
  defaultText,
  type Effect,
  type PatternCode,
  PATTERN_KINDS,
} from "../../packages/internals/src/validity/pattern_kinds.ts";
import { table } from "./pages/markdown_table.ts";

const HEAD = [
  "problem",
  "where",
  "`--non-finite null`",
  "`--non-finite text`",
  "`--timestamps`",
  "`--pattern-ids assign`",
  "`--invalid-rows quarantine`",
];

const NOTHING = "–";

/** The problems, each in every place that it can be, and the effect of each option. */
export function problemTable(): string {
  const ofPatterns = Object.entries(PATTERN_KINDS).flatMap(([code, { text, places }]) =>
    places.map(({ in: fields, effects }) => [
      text.replace("{field}", "the field"),
      fields.length > 10 ? "any field" : fields.map(placeText).join(", "),
      effectText(effects.nonFiniteNull, fields),
      effectText(effects.nonFiniteText, fields),
      effectText(effects.timestamps, fields),
      effects.ids === undefined ? NOTHING : assignedOf(code as PatternCode, fields),
      "removes the pattern",
    ]),
  );
  const ofLibraries = Object.values(LIBRARY_KINDS).map(({ text, nonFiniteNull, nonFiniteText, ids, quarantine }) => [
    text,
    "a JSON library",
    nonFiniteNull ?? NOTHING,
    nonFiniteText ?? NOTHING,
    NOTHING,
    ids ?? NOTHING,
    quarantine ?? NOTHING,
  ]);
  return table(HEAD, [...ofPatterns, ...ofLibraries]);
}

function placeText(field: string): string {
  if (field === "tags/") return "an entry of `tags`";
  if (field === "context/") return "a value in `context`, an unknown field";
  return field === "" ? "the pattern" : `\`${field}\``;
}

function effectText(effect: Effect | undefined, fields: readonly string[]): string {
  switch (effect) {
    case undefined:
      return NOTHING;
    case "null": {
      const defaults = new Set(fields.filter((field) => !field.endsWith("/")).map(defaultText));
      const numbers = [...defaults].filter((value) => value !== "no value");
      return numbers.length === 0 ? "null" : `null; a number then reads as its default (${numbers.join(" or ")})`;
    }
    case "text":
      return '`"NaN"`';
    case "timestamp":
      return "converted";
    case "id":
      return NOTHING;
  }
}

function assignedOf(code: PatternCode, fields: readonly string[]): string {
  const texts = fields.map((field) => [field, assignedText(code, field)] as const);
  const [[, first = ""] = []] = texts;
  if (texts.every(([, text]) => text === first)) return first;
  return texts.map(([field, text]) => `\`${field}\`: ${text}`).join("; ");
}
