import { gives, givesEach, refusesToRead } from "./json_faults.ts";
import { editsLibrary, row } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { givesText } from "./pattern_faults.ts";

const R = "R-9/cross-line";
const F = "R-4.1/foreign-files";
const derivesContributions: Mutation = gives("load_from_json", (library) => {
  const own = Object.groupBy(library.patterns, (pattern) => pattern.agent_id as string);
  const ids = Object.entries(own).map(([agent, patterns = []]) => [agent, patterns.map(({ id }) => id)]);
  library.agent_contributions = Object.fromEntries(ids) as Record<string, string[]>;
});

/** Faults with JSON libraries that somebody else wrote. */
export const CROSS_LINE_JSON_MUTANTS: readonly Mutant[] = [
  row(
    "forgets who contributed what",
    R,
    16,
    "cross-line/json-of-15",
    gives("load_from_json", (library) => (library.agent_contributions = {})),
  ),
  row(
    "leaves out patterns that have required fields only",
    R,
    15,
    "cross-line/json-of-16",
    gives("load_from_json", (library) => (library.patterns = library.patterns.filter(({ tags }) => tags !== null))),
  ),
  row(
    "counts no patterns when it saves what it loaded",
    R,
    16,
    "cross-line/json-saved-again",
    editsLibrary(({ metadata }) => (metadata.pattern_count = 0)),
  ),
  row(
    "loses characters beyond the basic plane",
    F,
    16,
    "cross-line/json-of-python",
    givesText("load_from_json", (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, "?")),
  ),
  row(
    "ends lines at line feeds only",
    F,
    15,
    "cross-line/spellings",
    refusesToRead((text) => text.includes("\r\n")),
  ),
  row(
    "wants JSON to begin with a brace",
    F,
    16,
    "cross-line/whitespace",
    refusesToRead((text) => !text.startsWith("{")),
  ),
  row(
    "decodes each half of a surrogate pair by itself",
    F,
    16,
    "cross-line/escapes",
    givesText("load_from_json", (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, "\ufffd\ufffd")),
  ),
  row(
    "reads counts with a decimal point as no integers",
    F,
    15,
    "cross-line/integers-for-reals",
    refusesToRead((text) => /_count": \d+\.0/.test(text)),
  ),
  row(
    "turns null into the word None",
    "U-optional",
    16,
    "cross-line/nulls-saved-again",
    givesEach("load_from_json", (pattern) => (pattern.description ??= "None")),
  ),
  row(
    "writes keys back that it does not know",
    "U-format-version",
    16,
    "cross-line/unknown-keys-saved-again",
    editsLibrary(({ patterns }) => patterns.forEach((pattern) => (pattern.rating = { stars: 5 }))),
  ),
  row(
    "cannot do without metadata",
    "U-format-version",
    15,
    "cross-line/no-metadata-saved-again",
    refusesToRead((text) => !text.includes('"metadata"')),
  ),
  row("derives all contributions", "U-contributions", 16, "cross-line/other-contributors", derivesContributions),
];
