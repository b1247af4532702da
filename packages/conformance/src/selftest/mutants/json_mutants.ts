import { rewrites, editsLibrary, answers, ok, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Files that are wrong, and answers about them. */
export const JSON_MUTANTS: readonly Mutant[] = [
  row(
    "writes updated_at into JSON",
    16,
    "patterns-json/no-updated-at",
    editsLibrary(({ patterns }) => patterns.forEach((pattern) => (pattern.updated_at = "2025-01-01T00:00:00"))),
  ),
  row(
    "cuts fractions of a second",
    16,
    "patterns-json/microseconds",
    rewrites((text) => text.replace(/(T\d\d:\d\d:\d\d)\.\d+"/g, '$1"')),
  ),
  row(
    "adds a zone to timestamps",
    16,
    "patterns-json/timestamp-form",
    rewrites((text) => text.replace(/(T\d\d:\d\d:\d\d)"/g, '$1Z"')),
  ),
  row(
    "rounds big numbers",
    16,
    "patterns-json/exact-numbers",
    editsLibrary(() => undefined),
  ),
  row(
    "counts one pattern too many",
    16,
    "patterns-json/pattern-count",
    editsLibrary(({ metadata }) => (metadata.pattern_count = (metadata.pattern_count as number) + 1)),
  ),
  row(
    "writes the version as a number",
    16,
    "patterns-json/format-version",
    rewrites((text) => text.replace('"version": "1.0"', '"version": 1.0').replace('"version":"1.0"', '"version":1.0')),
  ),
  row(
    "saved at the beginning of time",
    16,
    "patterns-json/saved-at",
    editsLibrary(({ metadata }) => (metadata.saved_at = "1970-01-01T00:00:00")),
  ),
  row(
    "renames a field",
    16,
    "patterns-json/file-layout",
    rewrites((text) => text.replace('"pattern_type"', '"type"')),
  ),
  row(
    "writes a byte order mark",
    15,
    "patterns-json/file-layout",
    rewrites((text) => `\uFEFF${text}`),
  ),
  row(
    "gives an empty library for a missing file",
    15,
    "patterns-json/load-missing-file",
    answers("load_from_json", (answer) =>
      answer.type === "error" ? ok(answer, { patterns: [], agent_contributions: {} }) : answer,
    ),
  ),
  row(
    "calls broken JSON a missing file",
    15,
    "patterns-json/load-invalid-json",
    answers("load_from_json", (answer) => (answer.type === "error" ? { ...answer, kind: "not_found" } : answer)),
  ),
];
