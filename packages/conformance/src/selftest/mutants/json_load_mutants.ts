import { eachObject, gives, givesEach, reads, refusesToRead, writesField } from "./json_faults.ts";
import type { Library } from "./json_faults.ts";
import { accumulates, remembers } from "./json_memory_faults.ts";
import { row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Pattern library files that are read wrong (sections 2.1, 2.4, 4.1 and 9). */
export const JSON_LOAD_MUTANTS: readonly Mutant[] = [
  row(
    "does not read last_used",
    "R-2.1/fields.json",
    16,
    "patterns-json/load-every-field",
    givesEach("load_from_json", (pattern) => (pattern.last_used = null)),
  ),
  row(
    "mixes up two fields",
    "R-2.1/fields.json",
    15,
    "patterns-json/load-every-field",
    givesEach(
      "load_from_json",
      (pattern) =>
        ([pattern.success_count, pattern.failure_count] = [
          pattern.failure_count as number,
          pattern.success_count as number,
        ]),
    ),
  ),
  row(
    "needs every field",
    "R-2.1/optional",
    16,
    "patterns-json/load-optional-one-by-one",
    refusesToRead((text) => (JSON.parse(text) as Library).patterns.some((pattern) => !("code" in pattern))),
  ),
  row(
    "reads a missing confidence as 0",
    "R-2.1/confidence.default",
    16,
    "patterns-json/load-default-confidence",
    reads((text) => text.replaceAll('"name": "Bare"', '"name": "Bare", "confidence": 0')),
  ),
  row(
    "gives no counts where the file has none",
    "R-2.1/counts.default",
    15,
    "patterns-json/load-default-counts",
    givesEach("load_from_json", (pattern) => (pattern.usage_count ||= null)),
  ),
  row(
    "loads the first pattern alone",
    "R-2.4/length",
    16,
    "patterns-json/loaded-length",
    gives("load_from_json", (library) => (library.patterns = library.patterns.slice(0, 1))),
  ),
  row(
    "gives a library without contributions",
    "R-4.1/load-from-json",
    15,
    "patterns-json/save-then-load",
    gives("load_from_json", (library) => (library.agent_contributions = {})),
  ),
  row(
    "reads files in another encoding",
    "R-4.1/load-from-json",
    16,
    "patterns-json/text",
    reads((text) => Buffer.from(text, "utf8").toString("latin1")),
  ),
  row(
    "loses the key __proto__",
    "R-4.1/load-from-json",
    16,
    "patterns-json/ordinary-keys",
    writesField("context", (context) =>
      eachObject(context, (object) =>
        Object.fromEntries(Object.entries(object).filter(([key]) => key !== "__proto__")),
      ),
    ),
  ),
  row("keeps the patterns of the file before", "R-4.1/load-from-json", 16, "patterns-json/second-load", accumulates()),
  row("remembers files by their names", "R-4.1/load-from-json", 15, "patterns-json/changed-file", remembers()),
  row(
    "does not know version 1.0",
    "R-9/file-version",
    16,
    "patterns-json/load-current-version",
    refusesToRead((text) => text.includes('"version": "1.0"')),
  ),
  row(
    "wants a file to begin with a brace",
    "R-4.1/foreign-files",
    16,
    "patterns-json/load-compact",
    refusesToRead((text) => !text.startsWith("{")),
  ),
  row(
    "wants blanks behind colons",
    "R-4.1/foreign-files",
    15,
    "patterns-json/load-compact",
    refusesToRead((text) => !text.includes(": ")),
  ),
  row(
    "stumbles over CRLF",
    "R-4.1/foreign-files",
    16,
    "patterns-json/load-crlf",
    refusesToRead((text) => text.includes("\r\n")),
  ),
  row(
    "wants a point in a confidence",
    "R-4.1/foreign-files",
    15,
    "patterns-json/load-integer-confidence",
    refusesToRead((text) => /"confidence": \d+[,}]/.test(text)),
  ),
  row(
    "depends on the order of keys",
    "R-4.1/foreign-files",
    16,
    "patterns-json/load-other-spelling",
    refusesToRead((text) => text.startsWith('{"metadata"')),
  ),
  row(
    "wants counts without a point",
    "R-4.1/foreign-files",
    15,
    "patterns-json/load-other-spelling",
    refusesToRead((text) => text.includes("12.0")),
  ),
  row(
    "does not join the halves of a character",
    "R-4.1/foreign-files",
    16,
    "patterns-json/load-utf8-and-escapes",
    reads((text) => text.replace(/\\ud83e/gi, "\\ufffd")),
  ),
  row(
    "knows escapes in small letters alone",
    "R-4.1/foreign-files",
    15,
    "patterns-json/load-utf8-and-escapes",
    refusesToRead((text) => /\\u[0-9A-F]*[A-F]/.test(text)),
  ),
];
