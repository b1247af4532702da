import { writesEach, writesField } from "./json_faults.ts";
import { rewrites, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Fields of patterns that are written wrong (section 2.1). */
export const JSON_FIELD_MUTANTS: readonly Mutant[] = [
  row(
    "writes fields in another spelling",
    "R-2.1/fields.json",
    16,
    "patterns-json/field-names",
    rewrites((text) => text.replaceAll('"agent_id"', '"agentId"')),
  ),
  row(
    "writes digits as a number",
    "R-2.1/text",
    15,
    "patterns-json/text-fields",
    writesField("name", (name) => (Number.isNaN(Number(name)) ? name : Number(name))),
  ),
  row(
    "writes line ends of its own",
    "R-2.1/text",
    16,
    "patterns-json/control-characters",
    rewrites((text) => text.replaceAll("\\r\\n", "\\n")),
  ),
  row(
    "cannot save a pattern without a description",
    "R-2.1/optional",
    15,
    "patterns-json/bare-pattern",
    writesEach((pattern) => {
      if (pattern.description === null) delete pattern.name;
    }),
  ),
  row(
    "writes empty text for a field without a value",
    "R-2.1/none.default",
    16,
    "patterns-json/no-values",
    writesEach((pattern) => (pattern.code ??= "")),
  ),
  row(
    "writes an empty list for a pattern without tags",
    "R-2.1/none.default",
    15,
    "patterns-json/no-values",
    writesEach((pattern) => (pattern.tags ??= [])),
  ),
  row(
    "starts with a confidence of 0",
    "R-2.1/confidence.default",
    16,
    "patterns-json/saved-default-confidence",
    writesField("confidence", (confidence) => (confidence === 0.5 ? 0 : confidence)),
  ),
  row(
    "starts counting at 1",
    "R-2.1/counts.default",
    15,
    "patterns-json/saved-default-counts",
    writesField("usage_count", (count) => (count === 0 ? 1 : count)),
  ),
  row(
    "rounds confidence to two digits",
    "R-2.1/confidence.real",
    16,
    "patterns-json/confidence-values",
    writesField("confidence", (confidence) => Number((confidence as number).toFixed(2))),
  ),
  row(
    "takes a confidence of 0 for none",
    "R-2.1/confidence.real",
    15,
    "patterns-json/confidence-values",
    writesEach((pattern) => (pattern.confidence ||= 0.5)),
  ),
  row(
    "writes confidence as text",
    "R-2.1/confidence.real",
    16,
    "patterns-json/confidence-values",
    writesField("confidence", String),
  ),
  row(
    "counts in 32 bits",
    "R-2.1/counts.integer",
    16,
    "patterns-json/count-values",
    writesField("usage_count", (count) => (count as number) | 0),
  ),
];
