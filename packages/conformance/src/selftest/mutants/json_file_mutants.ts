import type { JsonObject } from "../../values/json_value.ts";
import { writes, writesContributions } from "./json_faults.ts";
import type { Library } from "./json_faults.ts";
import { keepsSavedAt } from "./json_memory_faults.ts";
import { rewrites, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";

/** Pattern library files that are laid out wrong (sections 2.4 and 9). */
export const JSON_FILE_MUTANTS: readonly Mutant[] = [
  row(
    "writes a further key at the top",
    "R-2.4/top-level",
    16,
    "patterns-json/top-level-keys",
    writes((library) => ((library as unknown as JsonObject).format = "library")),
  ),
  row(
    "writes patterns as an object by id",
    "R-2.4/patterns",
    16,
    "patterns-json/every-pattern",
    writes(
      (library) =>
        (library.patterns = Object.fromEntries(library.patterns.map((pattern) => [pattern.id, pattern])) as never),
    ),
  ),
  row(
    "leaves out the last pattern",
    "R-2.4/patterns",
    15,
    "patterns-json/every-pattern",
    writes(({ patterns }) => patterns.pop()),
  ),
  row(
    "writes one pattern for each agent",
    "R-2.4/agent-contributions",
    16,
    "patterns-json/contributions",
    writesContributions((ids) => ids.slice(-1)),
  ),
  row(
    "writes the number of contributions",
    "R-2.4/agent-contributions",
    15,
    "patterns-json/contributions",
    writesContributions((ids) => ids.length),
  ),
  row(
    "forgets contributions of a library that it loaded",
    "R-2.4/agent-contributions",
    15,
    "patterns-json/contributions-kept",
    writes((library) => (library.agent_contributions = {})),
  ),
  row(
    "leaves out saved_at",
    "R-2.4/metadata",
    16,
    "patterns-json/metadata-keys",
    writes(({ metadata }) => delete metadata.saved_at),
  ),
  row(
    "writes metadata at the top",
    "R-2.4/metadata",
    15,
    "patterns-json/metadata-keys",
    writes((library) => {
      Object.assign(library, library.metadata);
      delete (library as Partial<Library>).metadata;
    }),
  ),
  row(
    "saves at the beginning of time",
    "R-2.4/saved-at",
    16,
    "patterns-json/saved-at",
    writes(({ metadata }) => (metadata.saved_at = "1970-01-01T00:00:00")),
  ),
  row(
    "keeps saved_at of the file that was loaded",
    "R-2.4/saved-at",
    15,
    "patterns-json/saved-at-renewed",
    keepsSavedAt(),
  ),
  row(
    "counts one pattern too many",
    "R-2.4/pattern-count",
    16,
    "patterns-json/pattern-count",
    writes(({ metadata }) => (metadata.pattern_count = (metadata.pattern_count as number) + 1)),
  ),
  row(
    "writes pattern_count as text",
    "R-2.4/pattern-count",
    15,
    "patterns-json/pattern-count-many",
    writes(({ metadata }) => (metadata.pattern_count = String(metadata.pattern_count))),
  ),
  row(
    "writes the version as a number",
    "R-2.4/version",
    16,
    "patterns-json/format-version",
    rewrites((text) => text.replace('"version": "1.0"', '"version": 1.0')),
  ),
  row(
    "writes its own version as that of the format",
    "R-9/file-version",
    16,
    "patterns-json/format-version",
    writes(({ metadata }) => (metadata.version = "16.0.0")),
  ),
  row(
    "raises the format version when it saves again",
    "R-9/file-version",
    15,
    "patterns-json/format-version-again",
    writes(({ metadata }) => (metadata.version = "1.1")),
  ),
];
