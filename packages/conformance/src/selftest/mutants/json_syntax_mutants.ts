import { givesObjects } from "./pattern_faults.ts";
import { reads, refusesToRead } from "./json_faults.ts";
import { row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Readers that take for JSON what is none, or stumble over what few programs write. */
export const JSON_SYNTAX_MUTANTS: readonly Mutant[] = [
  row(
    "does not look at what stands between the patterns and the last brace",
    "R-7/json.decode",
    16,
    "patterns-json/load-words-behind-patterns",
    reads((text) => text.replace(/\]\.5\}$/, "]}")),
  ),
  row(
    "takes an unknown escape for its letter",
    "R-7/json.decode",
    15,
    "patterns-json/load-broken-escapes",
    reads((text) => text.replace("\\x41", "A")),
  ),
  row(
    "takes a comma for a colon",
    "R-7/json.decode",
    16,
    "patterns-json/load-broken-names",
    reads((text) => text.replace('{"a", "b"}', '{"a": "b"}')),
  ),
  row(
    "reads the first of two documents",
    "R-7/json.decode",
    15,
    "patterns-json/load-two-values",
    reads((text) => text.replace(/^"abc" .*/, '"abc"')),
  ),
  row(
    "reads over half a character at the end",
    "U-json-shape",
    16,
    "patterns-json/load-cut-inside-character",
    reads((text) => text.replace(/\ufffd$/, "")),
  ),
  row(
    "wants empty arrays without a blank",
    "R-4.1/foreign-files",
    16,
    "patterns-json/load-blanks-between",
    refusesToRead((text) => /\[\s+\]/.test(text)),
  ),
  row(
    "loses the key __proto__ beside an escaped one",
    "R-4.1/load-from-json",
    15,
    "patterns-json/load-ordinary-keys-and-escapes",
    givesObjects("load_from_json", (object) =>
      Object.fromEntries(Object.entries(object).filter(([key]) => key !== "__proto__")),
    ),
  ),
  row(
    "wants the number of patterns without a point",
    "R-4.1/foreign-files",
    16,
    "patterns-json/load-count-spellings",
    refusesToRead((text) => /"pattern_count": \d+\./.test(text)),
  ),
  row(
    "has no room for more digits than a double holds",
    "R-4.1/foreign-files",
    15,
    "patterns-json/load-long-confidence",
    refusesToRead((text) => /"confidence": [\d.]{20,}/.test(text)),
  ),
  row(
    "counts 2000 as a year without a leap day",
    "U-timestamps",
    16,
    "patterns-json/load-timestamp-edges",
    refusesToRead((text) => text.includes('"2000-02-29T')),
  ),
  row(
    "wants six digits of a fraction",
    "U-timestamps",
    15,
    "patterns-json/load-timestamp-edges",
    refusesToRead((text) => /:\d\d\.\d{1,5}"/.test(text)),
  ),
  row(
    "takes a date for its first moment",
    "U-json-shape",
    15,
    "patterns-json/load-timestamp-look-alikes",
    reads((text) => text.replace('"2026-01-04"', '"2026-01-04T00:00:00"')),
  ),
  row(
    "takes the last second of a minute for one more",
    "U-json-shape",
    16,
    "patterns-json/load-timestamp-look-alikes",
    reads((text) => text.replace(':60"', ':59"')),
  ),
];
