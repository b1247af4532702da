import { alters, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { loads, refuses, some } from "./sqlite_mutations.ts";

/** Defaults, numbers, contexts and tags that are wrong (section 2.1). */
export const SQLITE_VALUE_MUTANTS: readonly Mutant[] = [
  row(
    "gives a pattern without a confidence full confidence",
    "R-2.1/confidence.default",
    16,
    "patterns-sqlite/bare-pattern-confidence",
    loads((pattern) => ({ ...pattern, confidence: 1 })),
  ),
  row(
    "leaves counts without a value",
    "R-2.1/counts.default",
    15,
    "patterns-sqlite/bare-pattern-counts",
    loads((pattern) => ({ ...pattern, usage_count: null })),
  ),
  row(
    "stores empty text where there is no value",
    "R-2.1/none.default",
    16,
    "patterns-sqlite/bare-pattern-values",
    alters("UPDATE patterns SET code = ''"),
  ),
  row(
    "discovers every pattern at the beginning of time",
    "R-2.1/none.default",
    15,
    "patterns-sqlite/bare-pattern-values",
    loads((pattern) => ({ ...pattern, discovered_at: "1970-01-01T00:00:00" })),
  ),
  row(
    "wants tags for every pattern",
    "R-2.1/optional",
    16,
    "patterns-sqlite/optional-fields",
    refuses(
      "PatternLibrary",
      some((pattern) => !("tags" in pattern)),
    ),
  ),
  row(
    "forgets code of a pattern without a description",
    "R-2.1/optional",
    15,
    "patterns-sqlite/optional-fields",
    alters("UPDATE patterns SET code = NULL WHERE description IS NULL"),
  ),
  row(
    "rounds confidence to percent",
    "R-2.1/confidence.real",
    16,
    "patterns-sqlite/confidence-values",
    alters("UPDATE patterns SET confidence = round(confidence, 2)"),
  ),
  row(
    "takes confidence 0 for none",
    "R-2.1/confidence.real",
    15,
    "patterns-sqlite/confidence-values",
    loads((pattern) => ({ ...pattern, confidence: pattern.confidence || 0.5 })),
  ),
  row(
    "counts in 32 bits",
    "R-2.1/counts.integer",
    16,
    "patterns-sqlite/count-values",
    loads((pattern) => ({ ...pattern, usage_count: (pattern.usage_count as number) | 0 })),
  ),
  row(
    "encodes context twice",
    "R-2.1/context.sqlite-text",
    16,
    "patterns-sqlite/context-column",
    alters("UPDATE patterns SET context = json_quote(context)"),
  ),
  row(
    "stores context in SQLite's binary JSON",
    "R-2.1/context.sqlite-text",
    15,
    "patterns-sqlite/context-column",
    alters("UPDATE patterns SET context = jsonb(context)"),
  ),
  row(
    "hands out context as text",
    "R-2.1/context.object",
    16,
    "patterns-sqlite/context-values",
    loads((pattern) => ({ ...pattern, context: JSON.stringify(pattern.context) })),
  ),
  row(
    "drops null members of a context",
    "R-2.1/context.object",
    15,
    "patterns-sqlite/context-values",
    loads((pattern) => ({
      ...pattern,
      context: JSON.parse(JSON.stringify(pattern.context).replace(/"none":null/, "")),
    })),
  ),
  row(
    "joins tags with commas",
    "R-2.1/tags.sqlite-text",
    16,
    "patterns-sqlite/tags-column",
    alters("UPDATE patterns SET tags = (SELECT group_concat(value) FROM json_each(tags))"),
  ),
  row(
    "takes tags for a set",
    "R-2.1/tags.array",
    16,
    "patterns-sqlite/tag-values",
    loads((pattern) => ({ ...pattern, tags: [...new Set(pattern.tags as string[])].toSorted() })),
  ),
  row(
    "stores tags that look like numbers as numbers",
    "R-2.1/tags.sqlite-text",
    15,
    "patterns-sqlite/tags-column",
    alters("UPDATE patterns SET tags = replace(tags, '\"7\"', '7')"),
  ),
];
