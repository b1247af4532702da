import type { JsonObject } from "../../../../packages/conformance/src/values/json_value.ts";
import { gives, givesEach, givesObjects, givesText, refusesToRead, rounds } from "./json_mutations.ts";
import { forgets, opens, runs } from "./metrics_mutations.ts";
import { alters, answers, editsLibrary, member, ok, receives, refuses, row, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { cannotRead, overlooksLog, rowsOf, savesThen } from "./sqlite_mutations.ts";

const R = "R-9/cross-line";
const F = "R-4.1/foreign-files";
const derivesContributions: Mutation = gives("load_from_json", (library) => {
  const own = Object.groupBy(library.patterns, (pattern) => pattern.agent_id as string);
  const ids = Object.entries(own).map(([agent, patterns = []]) => [agent, patterns.map(({ id }) => id)]);
  library.agent_contributions = Object.fromEntries(ids) as Record<string, string[]>;
});

/** Refuses to open a metrics database in which a query finds a row. */
const cannotOpen = (query: string): Mutation =>
  refuses("MetricsCollector", ({ db_path: path }) => rowsOf(path as string, query).length > 0);
const M = "R-4.2/foreign-files";
const O = "U-other-line-metrics";

const declaredOtherwise =
  "SELECT 1 FROM sqlite_schema WHERE name = 'patterns' AND sql NOT LIKE '%id TEXT NOT NULL PRIMARY KEY,' || char(10) || '%'";

/** Faults with files that another program or the other line wrote. */
export const CROSS_LINE: readonly Mutant[] = [
  // Faults with foreign JSON libraries.
  row(
    "loses the contributions",
    R,
    16,
    "cross-line/json-of-15",
    gives("load_from_json", (library) => (library.agent_contributions = {})),
  ),
  row(
    "omits patterns with required fields only",
    R,
    15,
    "cross-line/json-of-16",
    gives("load_from_json", (library) => (library.patterns = library.patterns.filter(({ tags }) => tags !== null))),
  ),
  row(
    "writes pattern_count 0 when it saves a loaded library",
    R,
    16,
    "cross-line/json-resaved",
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
    "accepts only line feeds as line ends",
    F,
    15,
    "cross-line/spellings",
    refusesToRead((text) => text.includes("\r\n")),
  ),
  row(
    "requires JSON to begin with a brace",
    F,
    16,
    "cross-line/whitespace",
    refusesToRead((text) => !text.startsWith("{")),
  ),
  row(
    "decodes each half of a surrogate pair separately",
    F,
    16,
    "cross-line/escapes",
    givesText("load_from_json", (text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, "\ufffd\ufffd")),
  ),
  row(
    "refuses counts with a decimal point in files of the other line",
    F,
    15,
    "cross-line/integers-for-reals",
    refusesToRead((text) => /_count": \d+\.0/.test(text)),
  ),
  row(
    "writes null as the word None",
    "U-optional",
    16,
    "cross-line/nulls-resaved",
    givesEach("load_from_json", (pattern) => (pattern.description ??= "None")),
  ),
  row(
    "writes unknown keys back",
    "U-format-version",
    16,
    "cross-line/unknown-keys-resaved",
    editsLibrary(({ patterns }) => patterns.forEach((pattern) => (pattern.rating = { stars: 5 }))),
  ),
  row(
    "requires metadata to save a library again",
    "U-format-version",
    15,
    "cross-line/no-metadata-resaved",
    refusesToRead((text) => !text.includes('"metadata"')),
  ),
  row("derives all contributions", "U-contributions", 16, "cross-line/other-contributors", derivesContributions),

  // Faults with foreign metrics databases.
  row(
    "counts only rows that it recorded itself",
    M,
    16,
    "cross-line/metrics-of-own-line",
    answers(
      "get_user_stats",
      member("total_operations", () => 0),
    ),
  ),
  row(
    "opens only tables that it declared itself",
    M,
    16,
    "cross-line/metrics-of-python",
    cannotOpen(
      "SELECT 1 FROM sqlite_schema WHERE name = 'interactions' AND sql NOT LIKE '%(' || char(10) || '    id INTEGER%'",
    ),
  ),
  row(
    "requires the indexes",
    M,
    15,
    "cross-line/metrics-other-ddl",
    cannotOpen("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'idx_interactions_user')"),
  ),
  row(
    "refuses rows in a table of another program",
    M,
    16,
    "cross-line/metrics-of-own-line-continued",
    refuses("record_interaction"),
  ),
  row(
    "does not count the rows that it adds",
    M,
    15,
    "cross-line/metrics-of-python-continued",
    forgets(() => true),
  ),
  row(
    "does not record for a user of another program",
    M,
    16,
    "cross-line/metrics-other-ddl-continued",
    forgets(({ user_id: user }) => user === "bob"),
  ),
  row(
    "records nothing",
    M,
    16,
    "cross-line/metrics-page-sizes-continued",
    forgets(() => true),
  ),
  row(
    "records without the rows of the log",
    M,
    15,
    "cross-line/metrics-wal-continued",
    overlooksLog("MetricsCollector"),
  ),
  row("opens a metrics database without its log", M, 16, "cross-line/metrics-wal", overlooksLog("MetricsCollector")),
  row(
    "opens pages of 4096 bytes only",
    M,
    15,
    "cross-line/metrics-page-sizes",
    cannotOpen("SELECT 1 FROM pragma_page_size WHERE page_size <> 4096"),
  ),
  row(
    "drops the views of its table",
    "X-foreign-objects",
    16,
    "cross-line/metrics-extra-objects",
    alters("DROP VIEW failures"),
  ),
  row(
    "opens a database of the other line",
    O,
    16,
    "cross-line/other-line-metrics",
    answers("MetricsCollector", (answer) => ok(answer)),
  ),
  row(
    "adds its column to a database and then refuses it",
    O,
    16,
    "cross-line/other-line-metrics-untouched",
    answers("MetricsCollector", (answer, { args }) => {
      alters("ALTER TABLE interactions ADD COLUMN level INTEGER").settled?.([args.db_path as string]);
      return answer;
    }),
  ),
  row(
    "deletes the log before it refuses a database",
    O,
    15,
    "cross-line/other-line-metrics-wal",
    overlooksLog("MetricsCollector"),
  ),
  row(
    "does not find a state whose id differs from its file name",
    "U-state-file",
    15,
    "cross-line/states-of-15",
    answers("load_state", (answer, { args }) => (String(args.user_id).includes("/") ? ok(answer) : answer)),
  ),
  row(
    "lists file names instead of ids",
    "U-state-file",
    15,
    "cross-line/states-of-python",
    answers("list_users", (answer) => value(answer, (users) => (users as string[]).map(encodeURIComponent))),
  ),
  row(
    "saves only the specified fields of a state",
    "U-state-extra",
    15,
    "cross-line/states-by-hand",
    receives("save_state", ({ state, ...args }) => {
      const { trust_trajectory: _dropped, ...described } = state as JsonObject;
      return { ...args, state: described };
    }),
  ),
  row(
    "migrates a database of the other line on opening",
    "U-other-line-metrics",
    16,
    "cross-line/other-line-metrics-fate",
    opens(runs("ALTER TABLE interactions RENAME COLUMN empathy_level TO level")),
  ),
  row(
    "adds a second column to a database of the other line",
    "U-other-line-metrics",
    15,
    "cross-line/other-line-metrics-fate",
    opens(runs("ALTER TABLE interactions ADD COLUMN empathy_level INTEGER DEFAULT 1")),
  ),

  // Faults with foreign pattern databases.
  row(
    "reads UTF-8 as Latin-1",
    R,
    16,
    "cross-line/sqlite-of-15",
    givesText("load_from_sqlite", (text) => Buffer.from(text).toString("latin1")),
  ),
  row(
    "returns the context as its stored text",
    R,
    15,
    "cross-line/sqlite-of-16",
    givesEach("load_from_sqlite", (pattern) => (pattern.context = JSON.stringify(pattern.context ?? null))),
  ),
  row(
    "loses tags when it saves in place",
    R,
    15,
    "cross-line/sqlite-resaved",
    savesThen("UPDATE patterns SET tags = NULL"),
  ),
  row(
    "reads an empty object as no value",
    R,
    16,
    "cross-line/there-and-back",
    givesObjects("load_from_sqlite", (object) => (Object.keys(object).length === 0 ? null : object)),
  ),
  row("rounds numbers of the other line", "U-numbers", 16, "cross-line/exact-values", rounds("load_from_json")),
  row(
    "deletes patterns of the other line",
    "U-save-existing",
    16,
    "cross-line/added-to",
    receives("save_to_sqlite", (args) => ({ ...args, mode: "replace" })),
  ),
  row(
    "recognises databases by the text of their declarations",
    F,
    16,
    "cross-line/sqlite-of-python",
    cannotRead(declaredOtherwise),
  ),
  row(
    "drops fractions of timestamps of a database",
    "U-timestamps",
    16,
    "cross-line/microseconds-resaved",
    givesText("load_from_sqlite", (text) => text.replace(/^(\d{4}-\d\d-\d\dT[\d:]{8})\.\d+$/, "$1")),
  ),
  row(
    "rounds numbers that it stores in SQLite",
    "U-numbers",
    15,
    "cross-line/exact-numbers-resaved",
    rounds("load_from_sqlite"),
  ),
  row("reads only tables that it declared itself", F, 15, "cross-line/other-ddl", cannotRead(declaredOtherwise)),
  row("reads a database without its log", F, 16, "cross-line/wal-resaved", overlooksLog("load_from_sqlite")),
  row(
    "reads only pages of 4096 bytes",
    F,
    16,
    "cross-line/page-sizes",
    cannotRead("SELECT 1 FROM pragma_page_size WHERE page_size <> 4096"),
  ),
  row(
    "reads only text in UTF-8",
    F,
    15,
    "cross-line/utf-16",
    cannotRead("SELECT 1 FROM pragma_encoding WHERE encoding <> 'UTF-8'"),
  ),
  row(
    "does not decode escapes in the JSON of a column",
    F,
    16,
    "cross-line/text-in-sqlite",
    givesText("load_from_sqlite", (text) => text.replace("naïve", "na\\u00efve")),
  ),
  row(
    "deletes foreign tables when it saves",
    "X-foreign-objects",
    16,
    "cross-line/extra-objects",
    savesThen("DROP VIEW often_used; DROP TABLE notes"),
  ),
  row(
    "rounds numbers that a Python program wrote",
    "U-numbers",
    16,
    "cross-line/exact-values-of-python",
    rounds("load_from_sqlite"),
  ),
  row(
    "requires the indexes of patterns",
    F,
    16,
    "cross-line/no-indexes",
    cannotRead("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'idx_patterns_agent')"),
  ),
];
