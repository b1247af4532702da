import { writesEach, writesField } from "./json_faults.ts";
import { alters, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { givesText } from "./pattern_faults.ts";
import { refuses, some } from "./sqlite_mutations.ts";

/** Values at the edge that are legal all the same: nothing in them, beyond what is usual, or like SQL. */
export const EDGE_VALUE_MUTANTS: readonly Mutant[] = [
  row(
    "brings confidence between 0 and 1",
    "R-2.1/confidence.real",
    15,
    "patterns-json/confidence-any-real",
    writesField("confidence", (confidence) => Math.min(1, Math.max(0, confidence as number))),
  ),
  row(
    "refuses a confidence beyond 0 and 1",
    "R-2.1/confidence.real",
    16,
    "patterns-sqlite/confidence-any-real",
    refuses(
      "PatternLibrary",
      some(({ confidence }) => Number(confidence) < 0 || Number(confidence) > 1),
    ),
  ),
  row(
    "takes an empty context for none in SQLite",
    "R-4.1/cross-format",
    16,
    "cross-format/empty-values",
    alters("UPDATE patterns SET context = nullif(context, '{}')"),
  ),
  row(
    "takes empty tags for none on the way to JSON",
    "R-4.1/cross-format.export",
    15,
    "cross-format/empty-values-export",
    writesEach((pattern) => {
      if (Array.isArray(pattern.tags) && pattern.tags.length === 0) pattern.tags = null;
    }),
  ),
  row(
    "cannot store a pattern of four fields",
    "R-2.1/optional",
    15,
    "patterns-sqlite/bare-pattern",
    refuses(
      "PatternLibrary",
      some((pattern) => Object.keys(pattern).length < 5),
    ),
  ),
  row(
    "doubles quotes for SQL and leaves them so",
    "X-sql-text",
    15,
    "patterns-sqlite/sql-text",
    givesText("load_from_sqlite", (text) => text.replaceAll("'", "''")),
  ),
];
