import { forgives, reads, refusesToRead, writesField } from "./json_faults.ts";
import { answers, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Files of other versions and with unusual text that are refused, or loaded, against the ruling. */
export const JSON_ACCEPTANCE_MUTANTS: readonly Mutant[] = [
  row(
    "does not look at the format version",
    "U-format-version",
    16,
    "patterns-json/load-other-format-version",
    reads((text) => text.replace('"version": "2.0"', '"version": "1.0"')),
  ),
  row(
    "knows no version but 1.0",
    "U-format-version",
    15,
    "patterns-json/load-other-format-version",
    refusesToRead((text) => text.includes('"version": "1.1"')),
  ),
  row(
    "takes 10.0 for a version 1",
    "U-format-version",
    16,
    "patterns-json/load-version-spellings",
    reads((text) => text.replace('"version": "10.0"', '"version": "1.0"')),
  ),
  row(
    "takes versions for numbers",
    "U-format-version",
    15,
    "patterns-json/load-version-spellings",
    reads((text) => text.replace('"version": 1.0', '"version": "1.0"')),
  ),
  row(
    "looks for a version 1 anywhere in the text",
    "U-format-version",
    16,
    "patterns-json/load-version-look-alikes",
    reads((text) => text.replace('"version": "11.0"', '"version": "1.0"')),
  ),
  row(
    "needs metadata",
    "U-format-version",
    15,
    "patterns-json/load-without-metadata",
    refusesToRead((text) => !text.includes('"metadata"')),
  ),
  row(
    "refuses keys that it does not know",
    "U-format-version",
    16,
    "patterns-json/load-unknown-keys",
    refusesToRead((text) => text.includes('"colour"')),
  ),
  row(
    "has a closed set of pattern types",
    "U-pattern-type",
    16,
    "patterns-json/pattern-types",
    refusesToRead((text) => /"pattern_type": "(?!sequential|temporal)/.test(text)),
  ),
  row(
    "refuses a blank in a timestamp",
    "U-timestamps",
    15,
    "patterns-json/load-blank-in-timestamp",
    refusesToRead((text) => /\d \d\d:/.test(text)),
  ),
  row(
    "writes a blank in a timestamp as it was read",
    "U-timestamps",
    16,
    "patterns-json/load-blank-in-timestamp",
    writesField("discovered_at", (text) => String(text).replace("T", " ")),
  ),
  row("loads any id", "U-text", 16, "patterns-json/unfit-ids", forgives("rejected")),
  row(
    "loads an empty id",
    "U-text",
    15,
    "patterns-json/unfit-ids",
    reads((text) => text.replace('"id": ""', '"id": "none"')),
  ),
  row(
    "does not look at agent ids",
    "U-text",
    16,
    "patterns-json/unfit-agent-ids",
    answers("load_from_json", (answer) =>
      answer.type === "error" && answer.message.includes("agent")
        ? { seq: answer.seq, type: "ok", value: null }
        : answer,
    ),
  ),
  row(
    "refuses a file whose saved_at names a zone",
    "R-4.1/foreign-files",
    16,
    "patterns-json/load-saved-at-with-zone",
    refusesToRead((text) => /"saved_at": "[^"]*(Z|[+-]\d\d:\d\d)"/.test(text)),
  ),
];
