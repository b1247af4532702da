import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { givesText, rounds } from "./json_mutations.ts";
import { alters, answers, ignores, ok, receives, refuses, row, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import {
  both,
  cannotRead,
  everyText,
  loads,
  loadsLibrary,
  prepares,
  redeclares,
  rowsOf,
  savesThen,
  some,
  textOf,
} from "./sqlite_mutations.ts";

const PATTERN_KEY = /id TEXT NOT NULL PRIMARY KEY([^]*)\)$/;
/** A foreign key to a column that is not a key would be found first. */
const NO_USAGE = alters("DROP TABLE IF EXISTS pattern_usage");

const FIELDS =
  "id agent_id pattern_type name description context code confidence usage_count success_count failure_count tags discovered_at last_used updated_at".split(
    " ",
  );

/** Assigns columns to fields by position, not by name. */
const byPlace: Mutation = answers("load_from_sqlite", (answer, { args }) => {
  const columns = rowsOf(args.db_path as string, "SELECT name FROM pragma_table_info('patterns')").map((column) =>
    String(column.name),
  );
  const misread = (pattern: JsonObject): JsonObject =>
    Object.fromEntries(FIELDS.map((field, place) => [field, pattern[columns[place] ?? ""] ?? null]));
  return value(answer, (library) => ({
    ...(library as JsonObject),
    patterns: ((library as JsonObject).patterns as JsonObject[]).map(misread),
  }));
});

const emptyInstead: Mutation = answers("load_from_sqlite", (answer) =>
  answer.type === "error" ? ok(answer, { patterns: [], agent_contributions: {} }) : answer,
);

const DOUBLE_USES =
  "INSERT INTO pattern_usage (pattern_id, agent_id, success) SELECT pattern_id, agent_id, success FROM pattern_usage";

const sorted = (patterns: JsonValue): JsonObject[] =>
  (patterns as JsonObject[]).toSorted((one, other) => (textOf(one, "id") < textOf(other, "id") ? -1 : 1));
const byId = loadsLibrary((library) => ({ ...library, patterns: sorted(library.patterns as JsonValue) }));
const cut =
  (length: number) =>
  (text: string): string =>
    /^\d{4}-/.test(text) ? text.slice(0, length) : text;

const withoutMode = receives("save_to_sqlite", ({ mode: _mode, ...args }) => args);
const alwaysReplaces = receives("save_to_sqlite", (args) => ({ ...args, mode: "replace" }));

const beforeLoading = (sql: string) =>
  prepares("load_from_sqlite", ({ args }) => alters(sql).settled?.([args.db_path as string]));

/** Faults of pattern databases, and of reading and writing them. */
export const SQLITE_LIBRARY: readonly Mutant[] = [
  // Faults of tables, columns, keys and indexes of pattern databases (sections 2.1 and 2.3).
  row(
    "creates pattern_usage only for the first use",
    "R-4.1/tables",
    16,
    "patterns-sqlite/tables",
    alters("DROP TABLE pattern_usage"),
  ),
  row(
    "names the column pattern_type type",
    "R-2.1/fields.sqlite",
    15,
    "patterns-sqlite/columns",
    alters("ALTER TABLE patterns RENAME COLUMN pattern_type TO type"),
  ),
  row(
    "names the column used_at timestamp",
    "R-2.2/columns",
    16,
    "patterns-sqlite/usage-columns",
    alters("ALTER TABLE pattern_usage RENAME COLUMN used_at TO timestamp"),
  ),
  row(
    "has a confidence column without a default",
    "R-2.1/confidence.default",
    16,
    "patterns-sqlite/column-default-confidence",
    redeclares("patterns", "REAL DEFAULT 0.5", "REAL"),
  ),
  row(
    "has a counter column without a default",
    "R-2.1/counts.default",
    15,
    "patterns-sqlite/column-default-counts",
    redeclares("patterns", "failure_count INTEGER DEFAULT 0", "failure_count INTEGER"),
  ),
  row(
    "leaves updated_at to the program",
    "R-2.1/updated-at.default",
    16,
    "patterns-sqlite/column-default-updated-at",
    redeclares("patterns", "updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP", "updated_at TIMESTAMP"),
  ),
  row(
    "has empty text as the default of a column",
    "R-2.1/none.default",
    16,
    "patterns-sqlite/column-no-values",
    redeclares("patterns", "description TEXT", "description TEXT DEFAULT ''"),
  ),
  row(
    "requires a description",
    "R-2.1/optional",
    15,
    "patterns-sqlite/optional-columns",
    redeclares("patterns", "description TEXT", "description TEXT NOT NULL"),
  ),
  row(
    "has a key of id and agent",
    "R-2.1/id.primary-key",
    16,
    "patterns-sqlite/primary-key",
    both(NO_USAGE, redeclares("patterns", PATTERN_KEY, "id TEXT NOT NULL$1, PRIMARY KEY (id, agent_id))")),
  ),
  row(
    "has an id without a key",
    "R-2.1/id.primary-key",
    15,
    "patterns-sqlite/primary-key",
    both(NO_USAGE, redeclares("patterns", PATTERN_KEY, "id TEXT NOT NULL$1)")),
  ),
  row(
    "compares ids without regard to case",
    "R-2.1/id.primary-key",
    16,
    "patterns-sqlite/ids-apart",
    redeclares("patterns", "PRIMARY KEY", "PRIMARY KEY COLLATE NOCASE"),
  ),
  row(
    "allows a row without an agent",
    "R-2.1/agent-id.required",
    16,
    "patterns-sqlite/agent-id-required",
    redeclares("patterns", "agent_id TEXT NOT NULL", "agent_id TEXT"),
  ),
  row(
    "has a default for pattern_type",
    "R-2.1/pattern-type.required",
    16,
    "patterns-sqlite/pattern-type-required",
    redeclares("patterns", "pattern_type TEXT NOT NULL", "pattern_type TEXT NOT NULL DEFAULT 'general'"),
  ),
  row(
    "allows a row without a name",
    "R-2.1/name.required",
    15,
    "patterns-sqlite/name-required",
    redeclares("patterns", "name TEXT NOT NULL", "name TEXT DEFAULT ''"),
  ),
  row(
    "stores confidence as text",
    "R-2.1/storage-classes",
    16,
    "patterns-sqlite/storage-classes",
    redeclares("patterns", "confidence REAL", "confidence TEXT"),
  ),
  row(
    "names an index after its column",
    "R-2.3/patterns.agent",
    16,
    "patterns-sqlite/index-agent",
    alters("DROP INDEX idx_patterns_agent; CREATE INDEX idx_patterns_agent_id ON patterns(agent_id)"),
  ),
  row(
    "indexes another column under the right name",
    "R-2.3/patterns.type",
    15,
    "patterns-sqlite/index-type",
    alters("DROP INDEX idx_patterns_type; CREATE INDEX idx_patterns_type ON patterns(name)"),
  ),
  row(
    "creates no index of confidence",
    "R-2.3/patterns.confidence",
    16,
    "patterns-sqlite/index-confidence",
    alters("DROP INDEX idx_patterns_confidence"),
  ),
  row(
    "allows each type once",
    "R-4.1/save-to-sqlite",
    16,
    "patterns-sqlite/indexes-allow-equals",
    alters(
      "DROP INDEX idx_patterns_type; DELETE FROM patterns WHERE id = 'p2'; CREATE UNIQUE INDEX idx_patterns_type ON patterns(pattern_type)",
    ),
  ),

  // Faults of saved rows and their texts (sections 2.1 and 4.1).
  row(
    "swaps two columns",
    "R-4.1/save-to-sqlite",
    16,
    "patterns-sqlite/row-content",
    alters("UPDATE patterns SET description = code, code = description"),
  ),
  row(
    "saves the patterns of one agent",
    "R-4.1/save-to-sqlite",
    15,
    "patterns-sqlite/rows-of-several-agents",
    alters("DELETE FROM patterns WHERE agent_id <> 'agent-1'"),
  ),
  row(
    "adds an extension to the name",
    "R-4.1/save-to-sqlite",
    16,
    "patterns-sqlite/named-file",
    answers(
      "save_to_sqlite",
      (answer, { args }) => (renameSync(args.db_path as string, `${args.db_path as string}.db`), answer),
    ),
  ),
  row(
    "leaves updated_at empty",
    "R-2.1/updated-at.default",
    16,
    "patterns-sqlite/updated-at",
    alters("UPDATE patterns SET updated_at = NULL"),
  ),
  row(
    "stores discovered_at as updated_at",
    "R-2.1/updated-at.default",
    15,
    "patterns-sqlite/updated-at",
    alters("UPDATE patterns SET updated_at = discovered_at"),
  ),
  row(
    "declares text columns as STRING",
    "R-2.1/text",
    16,
    "patterns-sqlite/text-like-numbers",
    redeclares("patterns", "agent_id TEXT", "agent_id STRING"),
  ),
  row(
    "trims blanks",
    "R-2.1/text",
    15,
    "patterns-sqlite/text-fields",
    loads((pattern) => ({ ...pattern, name: textOf(pattern, "name").trim() })),
  ),
  row(
    "stores empty text as no value",
    "R-2.1/text",
    16,
    "patterns-sqlite/text-fields",
    alters("UPDATE patterns SET description = nullif(description, '')"),
  ),
  row(
    "normalises text to NFC",
    "R-2.1/unicode",
    16,
    "patterns-sqlite/unicode",
    loads((pattern) => everyText(pattern, (text) => text.normalize("NFC")) as typeof pattern),
  ),
  row(
    "drops characters beyond the basic plane",
    "R-2.1/unicode",
    15,
    "patterns-sqlite/unicode",
    alters("UPDATE patterns SET name = replace(name, char(129517), '?')"),
  ),
  row(
    "loses the last pattern",
    "R-4.1/load-from-sqlite",
    16,
    "patterns-sqlite/save-then-load",
    loadsLibrary((library) => ({ ...library, patterns: (library.patterns as []).slice(0, -1) })),
  ),
  row(
    "loads each pattern twice",
    "R-2.4/length",
    15,
    "patterns-sqlite/loaded-length",
    loadsLibrary((library) => ({
      ...library,
      patterns: (library.patterns as []).flatMap((pattern) => [pattern, pattern]),
    })),
  ),
  row(
    "converts line ends to line feeds",
    "R-4.1/load-from-sqlite",
    15,
    "patterns-sqlite/save-then-load",
    loads((pattern) => everyText(pattern, (text) => text.replaceAll("\r\n", "\n")) as typeof pattern),
  ),
  row(
    "saves only patterns that were not loaded",
    "R-4.1/save-to-sqlite",
    16,
    "patterns-sqlite/save-what-was-loaded",
    answers(
      "save_to_sqlite",
      (answer, { args, handle }) => (
        handle === "loaded" && alters("DELETE FROM patterns").settled?.([args.db_path as string]),
        answer
      ),
    ),
  ),
  row(
    "refuses to save a library without patterns",
    "R-4.1/empty",
    16,
    "patterns-sqlite/empty-library",
    refuses("PatternLibrary", (args) => (args.patterns as []).length === 0),
  ),

  // Faults of defaults, numbers, contexts and tags (section 2.1).
  row(
    "stores a missing confidence as 1",
    "R-2.1/confidence.default",
    16,
    "patterns-sqlite/bare-pattern-confidence",
    loads((pattern) => ({ ...pattern, confidence: 1 })),
  ),
  row(
    "stores counts as NULL",
    "R-2.1/counts.default",
    15,
    "patterns-sqlite/bare-pattern-counts",
    loads((pattern) => ({ ...pattern, usage_count: null })),
  ),
  row(
    "stores a missing value as empty text",
    "R-2.1/none.default",
    16,
    "patterns-sqlite/bare-pattern-values",
    alters("UPDATE patterns SET code = ''"),
  ),
  row(
    "stores 1970 as discovered_at",
    "R-2.1/none.default",
    15,
    "patterns-sqlite/bare-pattern-values",
    loads((pattern) => ({ ...pattern, discovered_at: "1970-01-01T00:00:00" })),
  ),
  row(
    "requires tags",
    "R-2.1/optional",
    16,
    "patterns-sqlite/optional-fields",
    refuses(
      "PatternLibrary",
      some((pattern) => !("tags" in pattern)),
    ),
  ),
  row(
    "loses the code of a pattern without a description",
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
    "treats a confidence of 0 in a database as missing",
    "R-2.1/confidence.real",
    15,
    "patterns-sqlite/confidence-values",
    loads((pattern) => ({ ...pattern, confidence: pattern.confidence || 0.5 })),
  ),
  row(
    "stores counts in 32 bits",
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
    "returns context as text",
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
    "stores tags as a set",
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
  row(
    "refuses a confidence outside 0 to 1",
    "R-2.1/confidence.real",
    16,
    "patterns-sqlite/confidence-any-real",
    refuses(
      "PatternLibrary",
      some(({ confidence }) => Number(confidence) < 0 || Number(confidence) > 1),
    ),
  ),
  row(
    "refuses a pattern of four fields",
    "R-2.1/optional",
    15,
    "patterns-sqlite/bare-pattern",
    refuses(
      "PatternLibrary",
      some((pattern) => Object.keys(pattern).length < 5),
    ),
  ),

  // Foreign databases, and files that are not databases, read incorrectly.
  row(
    "reads only patterns without uses",
    "R-4.1/load-from-sqlite",
    16,
    "patterns-sqlite/load-described",
    loadsLibrary((library) => ({
      ...library,
      patterns: (library.patterns as JsonObject[]).filter(({ id }) => id !== "p1"),
    })),
  ),
  row(
    "returns tags as their stored text",
    "R-4.1/load-from-sqlite",
    15,
    "patterns-sqlite/load-described",
    loads((pattern) => ({ ...pattern, tags: JSON.stringify(pattern.tags) })),
  ),
  row(
    "cannot read rows without a description",
    "R-2.1/optional",
    16,
    "patterns-sqlite/load-bare-row",
    cannotRead("SELECT 1 FROM patterns WHERE description IS NULL"),
  ),
  row(
    "reads a missing context as an empty one",
    "R-2.1/none.default",
    15,
    "patterns-sqlite/load-bare-row-values",
    loads((pattern) => ({ ...pattern, context: pattern.context ?? {} })),
  ),
  row(
    "refuses a database with another table",
    "R-4.1/foreign-files",
    16,
    "patterns-sqlite/load-made-by-hand",
    cannotRead("SELECT 1 FROM sqlite_schema WHERE name = 'notes'"),
  ),
  row(
    "does not read the write-ahead log",
    "R-4.1/foreign-files",
    16,
    "patterns-sqlite/load-wal",
    prepares("load_from_sqlite", ({ args }) => rmSync(`${args.db_path as string}-wal`)),
  ),
  row(
    "cannot read UTF-16",
    "R-4.1/foreign-files",
    15,
    "patterns-sqlite/load-utf-16",
    cannotRead("SELECT 1 FROM pragma_encoding WHERE encoding <> 'UTF-8'"),
  ),
  row("reads columns by their position", "R-4.1/foreign-files", 16, "patterns-sqlite/load-column-order", byPlace),
  row(
    "reads only JSON in its own format",
    "R-4.1/foreign-files",
    15,
    "patterns-sqlite/load-json-spellings",
    cannotRead("SELECT 1 FROM patterns WHERE context <> json(context)"),
  ),
  row(
    "refuses a confidence of storage class integer",
    "R-4.1/foreign-files",
    16,
    "patterns-sqlite/load-integer-confidence",
    cannotRead("SELECT 1 FROM patterns WHERE typeof(confidence) = 'integer'"),
  ),
  row(
    "raises another error for a missing database",
    "R-7/sqlite.not-found",
    16,
    "patterns-sqlite/load-missing",
    answers("load_from_sqlite", (answer) => (answer.type === "error" ? { ...answer, kind: "other" } : answer)),
  ),
  row(
    "creates a missing file",
    "U-sqlite-missing",
    16,
    "patterns-sqlite/load-missing-creates-nothing",
    answers("load_from_sqlite", (answer, request) => (writeFileSync(request.args.db_path as string, ""), answer)),
  ),
  row(
    "returns an empty library for a missing database",
    "U-sqlite-missing",
    15,
    "patterns-sqlite/load-missing-answer",
    emptyInstead,
  ),
  row(
    "returns an empty library for another database",
    "U-sqlite-not-a-library",
    16,
    "patterns-sqlite/load-not-a-library",
    emptyInstead,
  ),
  row(
    "returns an empty library for a text file",
    "U-sqlite-not-a-library",
    15,
    "patterns-sqlite/load-not-a-database",
    emptyInstead,
  ),
  row(
    "returns an empty library for an empty file",
    "U-sqlite-not-a-library",
    16,
    "patterns-sqlite/load-empty-file",
    emptyInstead,
  ),

  // Faults of usage rows: their table (section 2.2), and the recording of a use.
  row(
    "leaves the id of a use to the program",
    "R-2.2/id.generated",
    16,
    "patterns-sqlite/usage-ids",
    redeclares("pattern_usage", "PRIMARY KEY AUTOINCREMENT", "NOT NULL UNIQUE"),
  ),
  row(
    "allows an agent one use of a pattern",
    "R-2.2/id.generated",
    15,
    "patterns-sqlite/usage-ids",
    redeclares("pattern_usage", "FOREIGN KEY", "UNIQUE (pattern_id, agent_id), FOREIGN KEY"),
  ),
  row(
    "numbers uses without a key",
    "R-2.2/id.primary-key",
    16,
    "patterns-sqlite/usage-primary-key",
    redeclares("pattern_usage", "PRIMARY KEY AUTOINCREMENT", ""),
  ),
  row(
    "leaves the time of a use to the program",
    "R-2.2/used-at.default",
    15,
    "patterns-sqlite/usage-time",
    redeclares("pattern_usage", "DEFAULT CURRENT_TIMESTAMP", ""),
  ),
  row(
    "allows a use without a pattern",
    "R-2.2/pattern-id.required",
    16,
    "patterns-sqlite/usage-pattern-required",
    redeclares("pattern_usage", "pattern_id TEXT NOT NULL", "pattern_id TEXT"),
  ),
  row(
    "allows a use without an agent",
    "R-2.2/agent-id.required",
    16,
    "patterns-sqlite/usage-agent-required",
    redeclares("pattern_usage", "agent_id TEXT NOT NULL", "agent_id TEXT NOT NULL DEFAULT ''"),
  ),
  row(
    "has a default for the success of a use",
    "R-2.2/success.required",
    15,
    "patterns-sqlite/usage-success-required",
    redeclares("pattern_usage", "success BOOLEAN NOT NULL", "success BOOLEAN DEFAULT 1"),
  ),
  row(
    "has numbers as the agents of uses",
    "R-2.2/types",
    16,
    "patterns-sqlite/usage-types",
    redeclares("pattern_usage", "agent_id TEXT", "agent_id INTEGER"),
  ),
  row(
    "has text as the success of a use",
    "R-2.2/types",
    15,
    "patterns-sqlite/usage-types",
    redeclares("pattern_usage", "success BOOLEAN", "success TEXT"),
  ),
  row(
    "has usage rows without a foreign key",
    "R-2.2/foreign-key",
    15,
    "patterns-sqlite/usage-foreign-key",
    redeclares("pattern_usage", /,\s*FOREIGN KEY.*/, ""),
  ),
  row("writes usage rows twice", "U-usage-table", 16, "patterns-sqlite/usage", alters(DOUBLE_USES)),
  row("never writes a usage row", "U-usage-table", 15, "patterns-sqlite/usage", savesThen("DELETE FROM pattern_usage")),
  row(
    "counts uses only in pattern_usage",
    "U-usage-table",
    16,
    "patterns-sqlite/usage-counters",
    savesThen("UPDATE patterns SET usage_count = 12, success_count = 10, failure_count = 2"),
  ),
  row(
    "records every use as a success",
    "U-usage-table",
    15,
    "patterns-sqlite/usage-counters",
    receives("record_usage", (args) => ({ ...args, success: true })),
  ),
  row(
    "does not update last_used",
    "U-usage-table",
    16,
    "patterns-sqlite/usage-last-used",
    loads((pattern) => ({ ...pattern, last_used: "2025-04-02T17:05:59" })),
  ),
  row(
    "sets last_used with a fraction and a zone",
    "U-usage-table",
    16,
    "patterns-sqlite/usage-last-used",
    loads((pattern) => ({ ...pattern, last_used: new Date().toISOString() })),
  ),
  row(
    "records no uses of a loaded library",
    "U-usage-table",
    16,
    "patterns-sqlite/usage-later",
    ignores("record_usage", (args) => args.agent_id === "third"),
  ),
  row("writes queued uses with every save", "U-usage-table", 15, "patterns-sqlite/usage-later", savesThen(DOUBLE_USES)),
  row(
    "changes confidence with uses",
    "U-usage-confidence",
    16,
    "patterns-sqlite/usage-confidence",
    loads((pattern) => ({ ...pattern, confidence: 11 / 14 })),
  ),

  // Answers to open questions that differ from the rulings that the implementation declares.
  row(
    "keeps NULL instead of a default",
    "U-optional",
    16,
    "patterns-sqlite/load-nulls",
    loads((pattern) => ({ ...pattern, confidence: null, usage_count: null })),
  ),
  row(
    "stores null instead of a default",
    "U-optional",
    15,
    "patterns-sqlite/save-nulls",
    alters("UPDATE patterns SET confidence = NULL"),
  ),
  row(
    "reads an empty array as no value",
    "U-optional",
    16,
    "patterns-sqlite/empty-containers",
    alters("UPDATE patterns SET tags = nullif(tags, '[]')"),
  ),
  row(
    "loses contributions in SQLite",
    "U-contributions",
    16,
    "patterns-sqlite/contributions",
    loadsLibrary((library) => ({ ...library, agent_contributions: {} })),
  ),
  row(
    "sorts contributions",
    "U-contributions",
    15,
    "patterns-sqlite/contributions",
    loadsLibrary((library) => ({ ...library, agent_contributions: { "agent-1": ["a", "b"], "agent-2": ["c"] } })),
  ),
  row(
    "stores contributions",
    "U-contributions",
    16,
    "patterns-sqlite/contributions-of-others",
    loadsLibrary((library) => ({ ...library, agent_contributions: { "agent-2": ["c"], "agent-9": ["a", "b"] } })),
  ),
  row(
    "cuts timestamps to milliseconds",
    "U-timestamps",
    16,
    "patterns-sqlite/microseconds",
    loads((pattern) => everyText(pattern, cut(23)) as JsonObject),
  ),
  row(
    "stores timestamps in seconds",
    "U-timestamps",
    15,
    "patterns-sqlite/microseconds",
    alters("UPDATE patterns SET discovered_at = substr(discovered_at, 1, 19), last_used = substr(last_used, 1, 19)"),
  ),
  row(
    "stores timestamps as numbers",
    "U-timestamps-sqlite",
    15,
    "patterns-sqlite/timestamps-as-text",
    alters("UPDATE patterns SET discovered_at = unixepoch(discovered_at), last_used = unixepoch(last_used)"),
  ),
  row(
    "puts a T into every timestamp",
    "U-timestamps",
    16,
    "patterns-sqlite/load-space-timestamps",
    loads((pattern) => everyText(pattern, (text) => text.replace(/^(\d{4}-\d\d-\d\d) /, "$1T")) as JsonObject),
  ),
  row(
    "reads NaN as text",
    "U-nonfinite",
    16,
    "patterns-sqlite/load-python-words",
    prepares("load_from_sqlite", ({ args }) =>
      alters(`UPDATE patterns SET context = replace(context, 'NaN', '"NaN"')`).settled?.([args.db_path as string]),
    ),
  ),
  row(
    "skips an invalid row",
    "U-read-what-can-be-read",
    15,
    "patterns-sqlite/load-one-invalid",
    prepares("load_from_sqlite", ({ args }) =>
      alters("DELETE FROM patterns WHERE NOT json_valid(context)").settled?.([args.db_path as string]),
    ),
  ),
  row(
    "replaces lone surrogates",
    "U-text",
    16,
    "patterns-sqlite/lone-surrogate",
    receives("PatternLibrary", (args) => everyText(args, (text) => text.toWellFormed()) as JsonObject),
  ),
  row(
    "accepts a row with an empty id",
    "U-text",
    15,
    "patterns-sqlite/empty-id",
    answers("load_from_sqlite", (answer) => ok(answer, { patterns: [{ id: "" }], agent_contributions: {} })),
  ),
  row(
    "cuts an id at a NUL",
    "U-text",
    16,
    "patterns-sqlite/nul-in-id",
    prepares("load_from_sqlite", ({ args }) =>
      alters("UPDATE patterns SET id = substr(id, 1, 1)").settled?.([args.db_path as string]),
    ),
  ),
  row(
    "cuts text at a NUL",
    "U-text",
    16,
    "patterns-sqlite/nul-in-text",
    loads((pattern) => everyText(pattern, (text) => text.split("\0")[0] as string) as JsonObject),
  ),
  row("sorts patterns of a database by id", "U-order", 16, "patterns-sqlite/order", byId),
  row(
    "reads the most confident patterns first",
    "U-order",
    15,
    "patterns-sqlite/order",
    loadsLibrary((library) => ({
      ...library,
      patterns: (library.patterns as JsonObject[]).toSorted((a, b) => Number(b.confidence) - Number(a.confidence)),
    })),
  ),
  row("reads rows by id", "U-order", 15, "patterns-sqlite/order-by-hand", byId),
  row(
    "rounds numbers to doubles",
    "U-numbers",
    16,
    "patterns-sqlite/exact-numbers",
    loads((pattern) => ({ ...pattern, context: { ...(pattern.context as JsonObject), big: 12345678901234567000 } })),
  ),
  row(
    "rounds numbers to doubles when it saves",
    "U-numbers",
    15,
    "patterns-sqlite/exact-numbers-by-hand",
    savesThen("UPDATE patterns SET context = replace(context, '12345678901234567890', '12345678901234567000')"),
  ),
  row(
    "accepts at most a thousand tags",
    "U-limits",
    16,
    "patterns-sqlite/limits",
    refuses(
      "PatternLibrary",
      some(({ tags }) => Array.isArray(tags) && tags.length > 1000),
    ),
  ),

  // Rare values that are lost, or refused next to certain other values.
  row(
    "reads an escape in a key of a context as a backslash",
    "R-4.1/load-from-sqlite",
    16,
    "patterns-sqlite/load-escaped-keys",
    alters(`UPDATE patterns SET context = replace(context, '"\\n":', '"\\\\":')`),
  ),
  row(
    "refuses text with the replacement character",
    "R-2.1/unicode",
    15,
    "patterns-sqlite/replacement-character",
    cannotRead("SELECT 1 FROM patterns WHERE instr(name, char(65533))"),
  ),
  row(
    "stores JSON null for a pattern with a long id",
    "R-2.1/none.default",
    16,
    "patterns-sqlite/save-nulls-long-id",
    alters("UPDATE patterns SET context = 'null' WHERE length(id) > 64"),
  ),
  row(
    "cuts text at a NUL if a context has a big number",
    "U-text",
    15,
    "patterns-sqlite/nul-beside-exact-number",
    alters("UPDATE patterns SET description = 'a' WHERE context LIKE '%12345678901234567890%'"),
  ),
  row(
    "replaces lone surrogates if every text has one",
    "U-text",
    15,
    "patterns-sqlite/lone-surrogates-everywhere",
    receives("PatternLibrary", (args) => everyText(args, (text) => text.toWellFormed()) as JsonObject),
  ),
  row(
    "stores powers of ten as doubles",
    "U-numbers",
    16,
    "patterns-sqlite/load-exact-powers",
    rounds("load_from_sqlite"),
  ),

  // Saves that treat existing or missing data differently from the rulings.
  row(
    "puts saved patterns first",
    "U-order",
    15,
    "patterns-sqlite/order-merged",
    savesThen("UPDATE patterns SET rowid = rowid + 1000 WHERE id IN ('z', 'a')"),
  ),
  row(
    "keeps the places of existing rows when it replaces",
    "U-order",
    16,
    "patterns-sqlite/order-replaced",
    savesThen("UPDATE patterns SET rowid = -1 WHERE id = 'a'"),
  ),
  row(
    "creates missing directories",
    "U-missing-directory",
    16,
    "patterns-sqlite/missing-directory",
    prepares("save_to_sqlite", ({ args }) => mkdirSync(dirname(args.db_path as string), { recursive: true })),
  ),
  row("replaces the database with every save", "U-save-existing", 16, "patterns-sqlite/save-merges", alwaysReplaces),
  row(
    "does not update existing rows",
    "U-save-existing",
    15,
    "patterns-sqlite/save-merges",
    savesThen("UPDATE patterns SET name = 'Retry once'"),
  ),
  row(
    "merges only fields with a value",
    "U-save-existing",
    16,
    "patterns-sqlite/save-merges-every-field",
    savesThen("UPDATE patterns SET code = coalesce(code, 'return call() or call()')"),
  ),
  row(
    "replaces existing rows and loses their uses",
    "U-save-existing",
    15,
    "patterns-sqlite/save-merges-usage",
    savesThen("DELETE FROM pattern_usage WHERE pattern_id IN (SELECT id FROM patterns WHERE name = 'Renamed')"),
  ),
  row("merges in every mode", "U-save-existing", 16, "patterns-sqlite/save-replaces", withoutMode),
  row(
    "deletes all uses when it replaces",
    "U-save-existing",
    15,
    "patterns-sqlite/save-replaces",
    answers(
      "save_to_sqlite",
      (answer, { args }) => (
        args.mode === "replace" && alters("DELETE FROM pattern_usage").settled?.([args.db_path as string]),
        answer
      ),
    ),
  ),
  row(
    "recreates a database without indexes",
    "U-save-existing",
    16,
    "patterns-sqlite/save-into-made-by-hand",
    savesThen("DROP TABLE notes; DELETE FROM patterns WHERE id = 'm1'"),
  ),

  row(
    "refuses an existing database",
    "U-save-existing",
    15,
    "patterns-sqlite/save-merges",
    refuses("save_to_sqlite", (args) => existsSync(args.db_path as string)),
  ),

  // Faults beyond the specification.
  row("runs SQL in a text", "X-sql-text", 16, "patterns-sqlite/sql-text-usage", savesThen("DELETE FROM pattern_usage")),
  row(
    "leaves a temporary file of a database",
    "X-no-leftovers",
    16,
    "patterns-sqlite/no-leftovers",
    answers("save_to_sqlite", (answer, { args }) => (writeFileSync(`${args.db_path as string}.tmp`, ""), answer)),
  ),
  row(
    "writes row by row until it fails",
    "X-failed-save",
    16,
    "patterns-sqlite/failed-save",
    savesThen("UPDATE patterns SET name = 'Renamed'", "error"),
  ),
  row(
    "saves without a transaction",
    "X-failed-save",
    15,
    "patterns-sqlite/failed-save-halfway",
    savesThen(
      "INSERT OR IGNORE INTO patterns (id, agent_id, pattern_type, name) VALUES ('p2', 'agent-1', 'sequential', 'Retry once')",
      "error",
    ),
  ),
  row(
    "deletes patterns of other programs",
    "X-two-handles",
    16,
    "patterns-sqlite/two-libraries",
    loadsLibrary((library) => ({ ...library, patterns: (library.patterns as []).slice(0, 1) })),
  ),
  row(
    "recreates the table patterns",
    "X-foreign-objects",
    16,
    "patterns-sqlite/foreign-objects",
    savesThen("DROP TRIGGER noted; DROP INDEX my_index"),
  ),
  row(
    "replaces a row so that no trigger sees the former one",
    "U-foreign-objects",
    16,
    "patterns-sqlite/foreign-search",
    savesThen(
      "INSERT OR REPLACE INTO patterns SELECT * FROM patterns WHERE id = 'p1' AND EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'words')",
    ),
  ),
  row(
    "replaces existing rows",
    "X-foreign-objects",
    15,
    "patterns-sqlite/foreign-column",
    savesThen("UPDATE patterns SET rating = NULL"),
  ),
  row(
    "reads only the first thousand rows",
    "R-8/counts",
    16,
    "patterns-sqlite/many",
    loadsLibrary((library) => ({ ...library, patterns: (library.patterns as []).slice(0, 1000) })),
  ),
  row(
    "cuts text to 65,535 characters",
    "R-8/sizes",
    16,
    "patterns-sqlite/long-text",
    loads((pattern) => everyText(pattern, (text) => text.slice(0, 65_535)) as JsonObject),
  ),
  row(
    "creates missing indexes when it loads",
    "X-files-untouched",
    16,
    "patterns-sqlite/load-changes-nothing",
    beforeLoading("CREATE INDEX IF NOT EXISTS idx_patterns_agent ON patterns(agent_id)"),
  ),
  row(
    "switches every database to WAL mode",
    "X-files-untouched",
    15,
    "patterns-sqlite/load-changes-nothing",
    beforeLoading("PRAGMA journal_mode = WAL"),
  ),
  row(
    "replaces a text file with a database",
    "X-files-untouched",
    16,
    "patterns-sqlite/load-leaves-other-files",
    answers(
      "load_from_sqlite",
      (answer, { args }) => (writeFileSync(args.db_path as string, "SQLite format 3"), answer),
    ),
  ),
  row(
    "counts loading as a use",
    "X-repeatable",
    16,
    "patterns-sqlite/load-twice",
    beforeLoading("UPDATE patterns SET usage_count = usage_count + 1"),
  ),
  row(
    "counts a use with every save",
    "X-repeatable",
    16,
    "patterns-sqlite/save-twice",
    savesThen("UPDATE patterns SET usage_count = usage_count + 1 WHERE id = 'a'"),
  ),
  row(
    "stores doubled quotes",
    "X-sql-text",
    15,
    "patterns-sqlite/sql-text",
    givesText("load_from_sqlite", (text) => text.replaceAll("'", "''")),
  ),
];
