import { givesEach, reads, writes, writesEach, writesField } from "./json_faults.ts";
import type { Library } from "./json_faults.ts";
import { rewrites, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Other answers than ours to open questions about pattern library files. */
export const JSON_QUESTION_MUTANTS: readonly Mutant[] = [
  row(
    "leaves out fields without a value",
    "U-optional",
    16,
    "patterns-json/all-keys-written",
    writesEach((pattern) => {
      for (const [key, field] of Object.entries(pattern)) if (field === null) delete pattern[key];
    }),
  ),
  row(
    "keeps null where a default would apply",
    "U-optional",
    15,
    "patterns-json/load-nulls",
    givesEach("load_from_json", (pattern) => (pattern.confidence = null)),
  ),
  row(
    "keeps absent fields and null apart",
    "U-optional",
    16,
    "patterns-json/absent-and-null",
    writesEach((pattern) => {
      if (pattern.id === "a-absent") delete pattern.description;
    }),
  ),
  row(
    "takes what is empty for nothing",
    "U-optional",
    15,
    "patterns-json/empty-containers",
    rewrites((text) => text.replace('"tags": []', '"tags": null')),
  ),
  row(
    "sorts patterns by id",
    "U-order",
    16,
    "patterns-json/order",
    writes(({ patterns }) => patterns.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))),
  ),
  row(
    "cuts fractions of a second",
    "U-timestamps",
    16,
    "patterns-json/microseconds",
    rewrites((text) => text.replace(/(T\d\d:\d\d:\d\d)\.\d+"/g, '$1"')),
  ),
  row(
    "keeps milliseconds",
    "U-timestamps",
    15,
    "patterns-json/microseconds",
    rewrites((text) => text.replace(/(T\d\d:\d\d:\d\d\.\d{3})\d+"/g, '$1"')),
  ),
  row(
    "drops zeros at the end of a fraction",
    "U-timestamps",
    16,
    "patterns-json/fractions",
    rewrites((text) => text.replace(/(T\d\d:\d\d:\d\d\.\d*[1-9])0+"/g, '$1"')),
  ),
  row(
    "derives contributions from the owners",
    "U-contributions",
    16,
    "patterns-json/contributions-as-written",
    reads((text) => JSON.stringify({ ...(JSON.parse(text) as Library), agent_contributions: null })),
  ),
  row(
    "drops contributions of patterns that are gone",
    "U-contributions",
    15,
    "patterns-json/contributions-as-written",
    rewrites((text) => text.replace(/"gone",\s*/, "")),
  ),
  row(
    "ends text at a NUL",
    "U-text",
    16,
    "patterns-json/nul-in-text",
    writesField("name", (name) => (name as string).split("\0")[0] ?? ""),
  ),
  row(
    "writes another character for half a pair",
    "U-text",
    15,
    "patterns-json/lone-surrogate",
    rewrites((text) => text.replaceAll("\\ud83d", "\uFFFD")),
  ),
  row(
    "rounds big numbers",
    "U-numbers",
    16,
    "patterns-json/exact-numbers",
    writes(() => undefined),
  ),
  row(
    "rounds big numbers that it is given",
    "U-numbers",
    15,
    "patterns-json/exact-numbers-given",
    writes(() => undefined),
  ),
];
