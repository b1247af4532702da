import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { eachObject, gives, writes, writesContributions, writesEach, writesField } from "./json_mutations.ts";
import type { Library } from "./json_mutations.ts";
import { confuses, counts, forgets, opens, records, runs } from "./metrics_mutations.ts";
import { alters, answers, ok, rewrites, row, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { everyText, loads, loadsLibrary, rowsOf, savesThen } from "./sqlite_mutations.ts";

const composed = (text: string): string => text.normalize("NFC");
const trimmed = (text: string): string => text.trim();

/** Changes every text of a pattern. */
const texts =
  (change: (text: string) => string) =>
  (pattern: JsonObject): JsonObject =>
    everyText(pattern, change) as JsonObject;

/** Keeps the first keys of every object. */
const firstKeys =
  (many: number) =>
  (context: JsonValue): JsonValue =>
    eachObject(context, (object) => Object.fromEntries(Object.entries(object).slice(0, many)));

/** Changes every number of a value. */
const eachNumber = (whole: JsonValue | undefined, change: (number: number) => number): JsonValue =>
  JSON.parse(
    JSON.stringify(whole ?? null, (_key, part) => (typeof part === "number" ? change(part) : part)),
  ) as JsonValue;

/** Loses the patterns of a library that is saved to the file or database from which it was loaded. */
function spoilsItsSource(save: "save_to_json" | "save_to_sqlite", spoilt: Mutation): Mutation {
  const loaded = new Set<JsonValue | undefined>();
  return {
    answer(request, answer) {
      const file = request.args.filepath ?? request.args.db_path;
      if (request.op.startsWith("load_from_")) loaded.add(file);
      return request.op === save && loaded.has(file) ? (spoilt.answer?.(request, answer) ?? answer) : answer;
    },
  };
}

/** Returns a value from an operation that has none. */
const returns = (op: string, given: JsonValue): Mutation =>
  answers(op, (answer) => (answer.type === "ok" ? ok(answer, given) : answer));

/** Writes the first half of a file if the save fails. */
const savesInPlace: Mutation = answers("save_to_json", (answer, { args }) => {
  const file = args.filepath as string;
  if (answer.type === "error" && existsSync(file)) writeFileSync(file, readFileSync(file, "utf8").slice(0, 100));
  return answer;
});

/** Writes the local time of New York into the metadata, as a program in that zone may do. */
const writesLocalTime = writes(({ metadata }) => {
  const now = new Date().toLocaleString("sv-SE", { timeZone: "America/New_York" });
  metadata.saved_at = now.replace(" ", "T");
});

/** Opens pre-16 databases, and changes them with SQL. */
const upgrades = (sql: string): Mutation =>
  opens((path) => {
    const isOld = rowsOf(path, "SELECT 1 FROM pragma_table_info('interactions') WHERE name = 'empathy_level'");
    if (isOld.length > 0) runs(sql)(path);
  });

/** Changes rows of interactions before the suite inspects them, in databases that have them. */
const rowsAfter = (sql: string): Mutation => ({
  settled(databases) {
    const metrics = databases.filter(
      (path) => rowsOf(path, "SELECT 1 FROM sqlite_schema WHERE name = 'interactions'").length > 0,
    );
    alters(sql).settled?.(metrics);
  },
});

/** Answers a call that lacks an argument as if it had the given one. */
const supplies = (missing: JsonObject): Mutation => records((args) => ({ ...missing, ...args }));

/** Implementations that lose a part of what they are given, or change it. */
export const LOSSES: readonly Mutant[] = [
  // Counts and sizes.
  row(
    "saves whole pages of a hundred patterns",
    "R-2.4/patterns",
    16,
    "patterns-json/many",
    writes((library) => library.patterns.splice(Math.floor(library.patterns.length / 100) * 100 || Infinity)),
  ),
  row(
    "loads at most two thousand patterns",
    "R-4.1/load-from-json",
    15,
    "patterns-json/many",
    gives("load_from_json", (library) => library.patterns.splice(2000)),
  ),
  row(
    "repeats the last pattern of a page",
    "R-4.1/load-from-sqlite",
    15,
    "patterns-sqlite/many",
    loadsLibrary((library) => {
      const patterns = library.patterns as JsonObject[];
      return {
        ...library,
        patterns: patterns.map((pattern, index) => patterns[index === 500 ? 499 : index] ?? pattern),
      };
    }),
  ),
  row(
    "writes at most a thousand rows",
    "R-4.1/save-to-sqlite",
    16,
    "patterns-sqlite/many",
    savesThen("DELETE FROM patterns WHERE rowid > 1000"),
  ),
  row(
    "writes a hundred contributions of each agent",
    "R-2.4/agent-contributions",
    15,
    "patterns-json/many",
    writesContributions((ids) => ids.slice(0, 100)),
  ),
  row(
    "writes the contributions of ten agents",
    "R-2.4/agent-contributions",
    16,
    "patterns-json/many-agents",
    writes((library) => {
      const first = Object.entries(library.agent_contributions).slice(0, 10);
      library.agent_contributions = Object.fromEntries(first) as Library["agent_contributions"];
    }),
  ),
  row(
    "writes the patterns of a hundred agents",
    "R-8/counts",
    15,
    "patterns-sqlite/many-agents",
    savesThen("DELETE FROM patterns WHERE agent_id NOT IN (SELECT DISTINCT agent_id FROM patterns LIMIT 100)"),
  ),
  row(
    "writes twenty tags",
    "R-2.1/tags.array",
    16,
    "patterns-json/many-tags",
    writesField("tags", (tags) => (tags as JsonValue[]).slice(0, 20)),
  ),
  row(
    "loads at most a thousand tags",
    "R-2.1/tags.array",
    15,
    "patterns-sqlite/many-tags",
    loads((pattern) => ({ ...pattern, tags: ((pattern.tags ?? []) as string[]).slice(0, 1000) })),
  ),
  row(
    "writes a hundred keys of a context",
    "R-2.1/context.object",
    15,
    "patterns-json/large-context",
    writesField("context", firstKeys(100)),
  ),
  row(
    "loads a hundred keys of a context",
    "R-2.1/context.object",
    16,
    "patterns-sqlite/large-context",
    loads((pattern) => ({ ...pattern, context: firstKeys(100)(pattern.context ?? null) })),
  ),
  row(
    "cuts ids to 64 characters in JSON",
    "R-8/sizes",
    16,
    "patterns-json/long-ids",
    writesEach((pattern) => (pattern.id = String(pattern.id).slice(0, 64))),
  ),
  row(
    "cuts types to 255 characters in SQLite",
    "R-8/sizes",
    15,
    "patterns-sqlite/long-ids",
    loads((pattern) => ({ ...pattern, pattern_type: String(pattern.pattern_type).slice(0, 255) })),
  ),
  row(
    "counts at most ten thousand interactions",
    "R-2.7/total-interactions",
    16,
    "metrics/many",
    counts("get_global_stats", (statistics) => ({
      ...statistics,
      total_interactions: Math.min(statistics.total_interactions ?? 0, 10_000),
    })),
  ),
  row(
    "keeps the newest thousand interactions when it opens a database",
    "R-8/counts",
    15,
    "metrics/many",
    opens(runs("DELETE FROM interactions WHERE id <= (SELECT max(id) FROM interactions) - 1000")),
  ),
  row(
    "keeps the newest thousand interactions when it records one",
    "R-4.2/one-row",
    16,
    "metrics/many-continued",
    rowsAfter("DELETE FROM interactions WHERE id <= (SELECT max(id) FROM interactions) - 1000"),
  ),
  row(
    "records a hundred users",
    "R-4.2/one-row",
    15,
    "metrics/many-recorded",
    rowsAfter("DELETE FROM interactions WHERE user_id NOT IN (SELECT DISTINCT user_id FROM interactions LIMIT 100)"),
  ),
  row(
    "returns only the first five users",
    "R-4.3/get-all-users",
    15,
    "metrics/many-users-before-16",
    answers("get_all_users", (answer) => value(answer, (users) => (users as JsonValue[]).slice(0, 5))),
  ),
  row(
    "cuts user ids to 255 characters",
    "R-8/sizes",
    16,
    "metrics/long-user-ids",
    confuses((user) => user.slice(0, 255)),
  ),
  row(
    "counts at most four uses of an empathy level",
    "R-1/tracks.empathy-levels",
    15,
    "statistics/per-empathy-level",
    counts("get_user_stats", (statistics) =>
      Object.fromEntries(
        Object.entries(statistics).map(([key, many]) => [key, key.startsWith("level_") ? Math.min(many, 4) : many]),
      ),
    ),
  ),
  row(
    "returns the success rate as text",
    "R-1/tracks",
    16,
    "statistics/user",
    counts("get_user_stats", (statistics) => ({ ...statistics, success_rate: String(statistics.success_rate) })),
  ),

  // Text that is written in another form.
  row(
    "composes letters in JSON",
    "R-2.1/unicode",
    16,
    "patterns-json/exact-text",
    writes((library) => (library.patterns = library.patterns.map(texts(composed)))),
  ),
  row("composes letters in SQLite", "R-2.1/unicode", 15, "patterns-sqlite/exact-text", loads(texts(composed))),
  row(
    "removes blanks at the ends of ids",
    "R-2.1/text",
    15,
    "patterns-json/exact-text",
    writesEach((pattern) => (pattern.id = trimmed(String(pattern.id)))),
  ),
  row(
    "writes tags in small letters",
    "R-2.1/text",
    16,
    "patterns-sqlite/exact-text",
    loads((pattern) => ({ ...pattern, tags: everyText(pattern.tags ?? null, (tag) => tag.toLowerCase()) })),
  ),
  row(
    "composes the names of agents",
    "R-2.4/agent-contributions",
    15,
    "patterns-json/exact-agents",
    writes((library) => {
      const composedNames = Object.entries(library.agent_contributions).map(([agent, ids]) => [composed(agent), ids]);
      library.agent_contributions = Object.fromEntries(composedNames) as Library["agent_contributions"];
    }),
  ),
  row("composes letters of user ids", "R-2.5/user-id.text", 16, "metrics/user-id-text", confuses(composed)),
  row("removes blanks at the ends of user ids", "R-2.5/user-id.text", 15, "metrics/user-id-text", confuses(trimmed)),
  row(
    "stores user ids of digits as numbers",
    "R-2.5/user-id.text",
    16,
    "metrics/user-id-text",
    confuses((user) => (/^\d+$/.test(user) ? String(Number(user)) : user)),
  ),
  row(
    "writes markup as character references",
    "R-2.1/text",
    16,
    "patterns-json/exact-text",
    writesEach((pattern) => {
      pattern.name = String(pattern.name).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    }),
  ),

  // Values that look like nothing, or like another.
  row(
    "writes null for empty text",
    "R-2.1/text",
    15,
    "patterns-json/value-edges",
    writesField("description", (text) => (text === "" ? null : text)),
  ),
  row(
    "rounds numbers of a context to six digits",
    "R-2.1/context.object",
    16,
    "patterns-sqlite/value-edges",
    loads((pattern) => ({ ...pattern, context: eachNumber(pattern.context, (number) => Number(number.toFixed(6))) })),
  ),
  row(
    "writes each value of an array once",
    "R-2.1/context.object",
    16,
    "patterns-json/value-edges",
    writesField("context", (context) =>
      eachObject(context, (object) =>
        Object.fromEntries(
          Object.entries(object).map(([key, part]) => [key, Array.isArray(part) ? [...new Set(part)] : part]),
        ),
      ),
    ),
  ),
  row(
    "omits patterns that were never used",
    "R-2.1/counts.integer",
    15,
    "patterns-json/value-edges",
    writes((library) => (library.patterns = library.patterns.filter(({ usage_count: uses }) => uses !== 0))),
  ),
  row(
    "loads the default for a confidence of zero",
    "R-2.1/confidence.real",
    15,
    "patterns-sqlite/value-edges",
    loads((pattern) => ({ ...pattern, confidence: pattern.confidence === 0 ? 0.5 : (pattern.confidence ?? null) })),
  ),
  row(
    "writes a library in one line",
    "U-json-lines",
    16,
    "patterns-json/human-readable",
    rewrites((text) => JSON.stringify(JSON.parse(text))),
  ),

  // Saves.
  row("returns the path from save_to_json", "R-4.1/returns", 16, "patterns-json/returns-nothing", {
    ...answers("save_to_json", (answer, { args }) => (answer.type === "ok" ? ok(answer, args.filepath) : answer)),
  }),
  row(
    "returns a number from save_to_sqlite",
    "R-4.1/returns",
    15,
    "patterns-sqlite/returns-nothing",
    returns("save_to_sqlite", 1),
  ),
  row(
    "empties a file before it reads it again",
    "R-2.4/patterns",
    16,
    "patterns-json/save-over-source",
    spoilsItsSource(
      "save_to_json",
      writes((library) => (library.patterns = [])),
    ),
  ),
  row(
    "empties a database before it reads it again",
    "R-4.1/save-to-sqlite",
    15,
    "patterns-sqlite/save-over-source",
    spoilsItsSource("save_to_sqlite", savesThen("DELETE FROM patterns")),
  ),
  row(
    "writes in place, so that a failed save leaves half a file",
    "X-failed-save",
    16,
    "patterns-json/failed-save-last",
    {
      ...savesInPlace,
    },
  ),
  row("writes saved_at in local time", "U-saved-at-zone", 16, "patterns-json/saved-at-zone", writesLocalTime),
  row(
    "writes timestamps of a database to JSON as they are",
    "R-2.1/timestamp.json",
    16,
    "cross-format/space-timestamps",
    writesEach((pattern) => {
      for (const key of ["discovered_at", "last_used"])
        if (typeof pattern[key] === "string") pattern[key] = pattern[key].replace("T", " ");
    }),
  ),

  // Records.
  row(
    "takes a call without a result for a success",
    "R-4.2/record-metric.required",
    16,
    "metrics/record-metric-required",
    supplies({ success: true }),
  ),
  row(
    "takes a call without a response time for an instant one",
    "R-4.2/record-metric.required",
    15,
    "metrics/record-metric-required",
    supplies({ response_time_ms: 0 }),
  ),
  row(
    "takes a call without a level for level 1",
    "R-4.2/record-interaction.required",
    16,
    "metrics/record-interaction-required",
    supplies({ level: 1 }),
  ),
  row(
    "stores any integer as a level",
    "R-2.5/levels.range",
    16,
    "metrics/levels-range",
    rowsAfter("UPDATE interactions SET level = 9 WHERE id = (SELECT max(id) FROM interactions)"),
  ),
  row(
    "stores level 0 for a level that it refuses",
    "R-2.5/levels.range",
    15,
    "metrics/levels-range",
    rowsAfter("INSERT INTO interactions (user_id, empathy_level, success) VALUES ('alice', 0, 1)"),
  ),

  // Databases of the other line.
  row(
    "replaces the levels of a pre-16 database by 1",
    "R-9/level-column.data",
    16,
    "versioning/level-column-data",
    upgrades(
      "ALTER TABLE interactions DROP COLUMN empathy_level; ALTER TABLE interactions ADD COLUMN level INTEGER NOT NULL DEFAULT 1",
    ),
  ),
  row(
    "empties a pre-16 database",
    "R-9/level-column.data",
    16,
    "versioning/level-column-data",
    upgrades("DELETE FROM interactions; ALTER TABLE interactions RENAME COLUMN empathy_level TO level"),
  ),
  row(
    "does not record for a new user of an older database",
    "R-4.2/one-row",
    15,
    "metrics/many-continued",
    forgets(({ user_id: user }) => user === "user-8"),
  ),
];
