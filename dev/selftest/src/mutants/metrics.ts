import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { counts, forgets, opens, records, remakes, runs } from "./metrics_mutations.ts";
import { alters, answers, isDatabase, ok, receives, refusal, refuses, row, rowIn, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";
import { rowsOf } from "./sqlite_mutations.ts";

const metrics = rowIn("metrics");

const IN_CAPITALS = "SELECT 1 FROM pragma_table_info('interactions') WHERE name = 'USER_ID'";

const TEXT_LEVELS = "SELECT 1 FROM pragma_table_info('interactions') WHERE name = 'level' AND type = 'TEXT'";

const inSeconds = (args: JsonObject): JsonObject => ({
  ...args,
  response_time_ms: Number(args.response_time_ms) / 1000,
});

/** 16+: records at the level that `levelOf` returns. */
const recordsAt = (levelOf: (user: string) => number, seen: (args: JsonObject) => void = () => {}): Mutation => ({
  before(request) {
    if (request.op === "record_interaction") seen(request.args);
    if (request.op !== "record_metric") return request;
    const { user_id, success, response_time_ms } = request.args as { [key: string]: string };
    const args = { user_id, success, response_time_ms, level: levelOf(String(user_id)) } as JsonObject;
    return { ...request, op: "record_interaction", args };
  },
});

function remembersWhileItRuns(): Mutation {
  const levels = new Map<string, number>();
  const recording = recordsAt(
    (user) => levels.get(user) ?? 1,
    (args) => levels.set(String(args.user_id), Number(args.level)),
  );
  return {
    before(request, directory) {
      if (request.op === "MetricsCollector") levels.clear();
      return recording.before?.(request, directory) ?? request;
    },
  };
}

function recordsBeforeItAsks(): Mutation {
  let asked = false;
  return {
    before(request) {
      if (request.op === "MetricsCollector") asked = false;
      if (request.op.startsWith("get_")) asked = true;
      return asked && request.op.startsWith("record_") ? refusal(request) : request;
    },
  };
}

const highest = (args: { level?: unknown }): number => Math.min(5, Math.max(1, Number(args.level)));
const clamped = ({ level, ...args }: JsonObject): JsonObject => ({
  ...args,
  level: typeof level === "number" ? Math.min(5, Math.max(1, Math.round(level))) : 3,
});

function countsQuestions(): ReturnType<typeof counts> {
  let asked = -1;
  return counts("get_user_stats", (statistics) => {
    asked += 1;
    return { ...statistics, total_operations: Number(statistics.total_operations) + asked };
  });
}

/** Faults of metrics collectors and their databases. */
export const METRICS: readonly Mutant[] = [
  // Faults of the table of interactions.
  metrics(
    "creates no index of users",
    "R-2.3/interactions.user",
    16,
    "index-user",
    alters("DROP INDEX idx_interactions_user"),
  ),
  metrics(
    "gives the index of timestamps another name",
    "R-2.3/interactions.timestamp",
    15,
    "index-timestamp",
    alters("DROP INDEX idx_interactions_timestamp; CREATE INDEX interactions_by_time ON interactions(timestamp)"),
  ),
  metrics(
    "indexes another column under the name for timestamps",
    "R-2.3/interactions.timestamp",
    16,
    "index-timestamp",
    alters("DROP INDEX idx_interactions_timestamp; CREATE INDEX idx_interactions_timestamp ON interactions(id)"),
  ),
  metrics(
    "names the column of the response time without a unit",
    "R-2.5/columns",
    16,
    "columns",
    alters("ALTER TABLE interactions RENAME COLUMN response_time_ms TO response_time"),
  ),
  metrics(
    "names the column of the time created_at",
    "R-2.5/columns.before-16",
    15,
    "columns-before-16",
    alters("ALTER TABLE interactions RENAME COLUMN timestamp TO created_at"),
  ),
  metrics(
    "keeps the old column name",
    "R-9/level-column",
    16,
    "level-column",
    alters("ALTER TABLE interactions RENAME COLUMN level TO empathy_level"),
  ),
  metrics(
    "keeps the old column next to the new one",
    "R-9/level-column",
    16,
    "level-column",
    alters("ALTER TABLE interactions ADD COLUMN empathy_level INTEGER"),
  ),
  metrics(
    "uses the new column name before 16",
    "R-9/level-column.before-16",
    15,
    "level-column-before-16",
    alters("ALTER TABLE interactions RENAME COLUMN empathy_level TO level"),
  ),
  metrics(
    "has ids without a key",
    "R-2.5/id.primary-key",
    16,
    "id-primary-key",
    remakes(16, "id INTEGER PRIMARY KEY AUTOINCREMENT", "id INTEGER"),
  ),
  metrics(
    "leaves the ids to the caller",
    "R-2.5/id.generated",
    15,
    "id-generated",
    remakes(15, "id INTEGER PRIMARY KEY AUTOINCREMENT", "id TEXT PRIMARY KEY"),
  ),
  metrics(
    "has no default for the time in the table",
    "R-2.5/timestamp.default",
    16,
    "timestamp-default",
    remakes(16, " DEFAULT CURRENT_TIMESTAMP", ""),
  ),
  metrics(
    "allows interactions without a user in the table",
    "R-2.5/user-id.required",
    15,
    "user-id-required",
    remakes(15, "user_id TEXT NOT NULL", "user_id TEXT"),
  ),
  metrics(
    "allows interactions without a level in the table",
    "R-2.5/level.required",
    16,
    "level-required",
    remakes(16, "level INTEGER NOT NULL", "level INTEGER DEFAULT 1"),
  ),
  metrics(
    "allows interactions without an outcome in the table",
    "R-2.5/success.required",
    15,
    "success-required",
    remakes(15, "success BOOLEAN NOT NULL", "success BOOLEAN"),
  ),
  metrics(
    "stores a missing response time as 0",
    "R-2.5/response-time.optional",
    16,
    "response-time-optional",
    remakes(16, "response_time_ms REAL", "response_time_ms REAL NOT NULL DEFAULT 0"),
  ),

  // Interactions with incorrectly stored values.
  metrics(
    "counts levels from 0",
    "R-2.5/levels",
    15,
    "levels-stored",
    alters("UPDATE interactions SET empathy_level = empathy_level - 1"),
  ),
  metrics(
    "stores every level as 3",
    "R-2.5/levels",
    16,
    "levels-stored",
    records((args) => ({ ...args, level: 3 })),
  ),
  metrics(
    "accepts only four levels",
    "R-8/level",
    16,
    "levels-stored",
    refuses("record_interaction", (args) => args.level === 5),
  ),
  metrics(
    "stores success as a word",
    "R-2.5/storage-classes",
    16,
    "storage-classes",
    alters("UPDATE interactions SET success = iif(success, 'true', 'false')"),
  ),
  metrics(
    "stores user ids of digits as numbers",
    "R-2.5/storage-classes",
    15,
    "storage-classes",
    remakes(15, "user_id TEXT", "user_id NUMERIC"),
  ),
  metrics(
    "stores whole response times as integers",
    "R-2.5/storage-classes",
    16,
    "storage-classes",
    remakes(16, "response_time_ms REAL", "response_time_ms NUMERIC"),
  ),

  // Collectors that record incorrectly (sections 4.2, 4.3 and 9).
  metrics(
    "puts every database into one file",
    "R-4.2/db-path",
    15,
    "db-path",
    receives("MetricsCollector", (args, directory) => ({ ...args, db_path: join(directory, "one.db") })),
  ),
  metrics(
    "reads paths as addresses",
    "R-4.2/db-path",
    16,
    "db-path-characters",
    receives("MetricsCollector", (args) => ({ ...args, db_path: String(args.db_path).replace(/#.*/, "") })),
  ),
  metrics(
    "expands variables of the environment in a path",
    "R-4.2/db-path",
    15,
    "db-path-characters",
    receives("MetricsCollector", (args) => ({ ...args, db_path: String(args.db_path).replace("$HOME", "home") })),
  ),
  metrics(
    "has another default path",
    "R-4.2/db-path.default",
    16,
    "default-path",
    receives("MetricsCollector", (args, directory) => ({ db_path: join(directory, "empathy.db"), ...args })),
  ),
  metrics(
    "records every call as a success",
    "R-4.2/record-metric",
    16,
    "record-metric",
    receives("record_metric", (args) => ({ ...args, success: true })),
  ),
  metrics(
    "requires metadata",
    "R-4.2/metadata.optional",
    15,
    "metadata-optional",
    refuses("record_metric", (args) => !("metadata" in args) || args.metadata === null),
  ),
  metrics(
    "refuses empty metadata",
    "R-4.2/metadata.optional",
    16,
    "metadata-optional",
    refuses("record_metric", ({ metadata }) => typeof metadata === "object" && JSON.stringify(metadata) === "{}"),
  ),
  metrics("stores seconds", "R-4.2/record-interaction", 16, "record-interaction", records(inSeconds)),
  metrics(
    "updates a row instead of adding one",
    "R-4.2/one-row",
    16,
    "one-row",
    alters("DELETE FROM interactions WHERE id NOT IN (SELECT min(id) FROM interactions GROUP BY user_id, success)"),
  ),
  metrics(
    "writes a second row for metadata",
    "R-4.2/one-row",
    15,
    "one-row",
    alters(
      "INSERT INTO interactions (user_id, empathy_level, success) SELECT 'metadata', 1, 1 FROM interaction_metadata",
    ),
  ),
  metrics(
    "records the date alone",
    "R-4.2/timestamp",
    15,
    "timestamp",
    alters("UPDATE interactions SET timestamp = date(timestamp)"),
  ),
  metrics(
    "records the time at which the collector was opened",
    "R-4.2/timestamp",
    15,
    "timestamp-of-each-call",
    alters("UPDATE interactions SET timestamp = (SELECT min(timestamp) FROM interactions)"),
  ),
  metrics(
    "records the creation time of the database",
    "R-4.2/timestamp",
    16,
    "timestamp-continued",
    alters("UPDATE interactions SET timestamp = (SELECT min(timestamp) FROM interactions)"),
  ),
  metrics(
    "returns a user for each interaction",
    "R-4.2/get-all-users",
    16,
    "all-users",
    answers("get_all_users", (answer) => value(answer, (users) => [...(users as JsonValue[]), "alice"])),
  ),
  metrics(
    "returns only users with a success",
    "R-4.3/get-all-users",
    15,
    "all-users-before-16",
    forgets((args) => args.success === false),
  ),
  metrics(
    "discards interactions at each start",
    "R-4.2/reopened",
    16,
    "reopened",
    opens(runs("DELETE FROM interactions")),
  ),
  metrics(
    "deletes the write-ahead log on opening",
    "R-4.2/foreign-files",
    16,
    "continued",
    opens((path) => rmSync(`${path}-wal`, { force: true })),
  ),
  metrics(
    "knows columns by the case of their names",
    "R-4.2/foreign-files",
    16,
    "other-spelling",
    refuses("MetricsCollector", ({ db_path: path }) => rowsOf(String(path), IN_CAPITALS).length > 0),
  ),
  metrics(
    "rewrites foreign databases",
    "R-4.2/foreign-files",
    15,
    "other-spelling-continued",
    opens(runs("UPDATE interactions SET timestamp = strftime('%Y-%m-%d %H:%M:%S', timestamp); DROP TABLE notes")),
  ),
  metrics(
    "accepts empathy_level and records 1",
    "R-4.3/empathy-level",
    15,
    "record-metric-before-16",
    receives("record_metric", (args) => ("empathy_level" in args ? { ...args, empathy_level: 1 } : args)),
  ),
  metrics(
    "has a default for empathy_level",
    "R-4.3/empathy-level.required",
    15,
    "empathy-level-required",
    receives("record_metric", (args) => ({ empathy_level: 1, ...args })),
  ),
  metrics(
    "still accepts empathy_level",
    "U-empathy-level-argument",
    16,
    "empathy-level-removed",
    receives("record_metric", ({ empathy_level: _taken, ...args }) => args),
  ),
  metrics("refuses empathy_level after recording it", "U-empathy-level-argument", 16, "empathy-level-removed", {
    ...receives("record_metric", ({ empathy_level: _taken, ...args }) => args),
    answer: (request, answer) => ("empathy_level" in request.args ? refusal(answer) : answer),
  }),

  // Collectors with another answer about the location of their database.
  metrics(
    "writes timestamps with a T",
    "U-timestamp-zone",
    16,
    "timestamp-zone",
    alters("UPDATE interactions SET timestamp = replace(timestamp, ' ', 'T')"),
  ),
  metrics(
    "writes local time",
    "U-timestamp-zone",
    15,
    "timestamp-zone",
    alters("UPDATE interactions SET timestamp = datetime(timestamp, '+5 hours', '+45 minutes')"),
  ),
  metrics(
    "has another default path before 16",
    "U-db-path-default",
    15,
    "default-path-before-16",
    receives("MetricsCollector", (args, directory) => ({ db_path: join(directory, "data.db"), ...args })),
  ),
  metrics("replaces any file with a new database", "U-not-a-database", 16, "not-a-database", opens(rmSync)),
  metrics("replaces any long file with a new database", "U-not-a-database", 15, "not-a-database-long", opens(rmSync)),
  metrics(
    "creates missing directories for interactions",
    "U-missing-directory",
    16,
    "missing-directory",
    receives("MetricsCollector", (args) => {
      mkdirSync(dirname(String(args.db_path)), { recursive: true });
      return args;
    }),
  ),

  // Collectors whose answer to an open question differs from the ruling that they declare.
  metrics(
    "adds a metadata column",
    "U-metadata-storage",
    16,
    "metadata-storage",
    alters("ALTER TABLE interactions ADD COLUMN metadata TEXT"),
  ),
  metrics(
    "drops metadata",
    "U-metadata-storage",
    15,
    "metadata-storage",
    receives("record_metric", ({ metadata: _lost, ...args }) => args),
  ),
  metrics(
    "encodes metadata twice",
    "U-metadata-storage",
    16,
    "metadata-text",
    alters("UPDATE interaction_metadata SET metadata = json_quote(metadata)"),
  ),
  metrics(
    "rounds the numbers in metadata",
    "U-numbers",
    15,
    "metadata-exact-numbers",
    receives("record_metric", (args) => ({ ...args, metadata: { big: 12345678901234567000 } })),
  ),
  metrics(
    "records level 1 without a level",
    "U-record-metric-level",
    16,
    "record-metric-level",
    recordsAt(() => 1),
  ),
  metrics(
    "keeps levels only in memory",
    "U-record-metric-level",
    16,
    "record-metric-level-kept",
    remembersWhileItRuns(),
  ),
  metrics(
    "returns nothing for an interaction",
    "U-record-metric-table",
    16,
    "one-table",
    answers("record_interaction", (answer) => ok(answer)),
  ),
  metrics(
    "loses the level of record_interaction",
    "U-record-metric-table",
    15,
    "record-interaction-before-16",
    alters("UPDATE interactions SET empathy_level = 1"),
  ),
  metrics("records nothing after the first query", "U-lifecycle", 15, "any-order", recordsBeforeItAsks()),
  row("replaces a text file with a new database", "U-not-a-database", 16, "metrics/not-a-database-fate", {
    before(request) {
      if (request.op === "MetricsCollector") rmSync(request.args.db_path as string);
      return request;
    },
  }),

  // Collectors that accept values that the rulings refuse, or the reverse.
  metrics("clamps levels into the range", "U-range", 16, "range", records(clamped)),
  metrics("raises an error after it has written", "U-range", 16, "range", {
    ...records(clamped),
    answer: (_request, answer) => ("value" in answer && answer.value !== null ? refusal(answer) : answer),
  }),
  metrics(
    "accepts any response time",
    "U-range",
    15,
    "range-response-time",
    records((args) => ({ ...args, response_time_ms: 0 })),
  ),
  metrics(
    "converts any user id to text",
    "U-range",
    16,
    "range-user",
    records((args) => ({ ...args, user_id: `user ${String(args.user_id)}` })),
  ),
  metrics(
    "accepts any value as success",
    "U-range",
    15,
    "range-success",
    records((args) => ({ ...args, success: Boolean(args.success) })),
  ),
  metrics(
    "accepts any metadata",
    "U-range",
    16,
    "range-record-metric",
    receives("record_metric", ({ metadata, ...args }) =>
      metadata === undefined ? args : { ...args, metadata: { value: metadata } },
    ),
  ),
  metrics(
    "refuses a response time of 0",
    "U-range",
    16,
    "range-edges",
    refuses("record_interaction", (args) => args.response_time_ms === 0),
  ),
  metrics(
    "cuts user ids at a NUL",
    "U-text",
    16,
    "unfit-user-ids",
    records((args) => ({ ...args, user_id: String(args.user_id).replace(/\0.*/s, "") || "nobody" })),
  ),
  metrics(
    "limits the length of user ids",
    "U-limits",
    16,
    "large-values",
    refuses("record_metric", (args) => String(args.user_id).length > 255),
  ),
  row(
    "counts level 9 as level 5",
    "U-range",
    16,
    "metrics/range-fate",
    receives("record_interaction", (args) => ({ ...args, level: highest(args) })),
  ),

  // Faults beyond the specification.
  row(
    "returns built-in property names as users",
    "X-ordinary-keys",
    16,
    "metrics/ordinary-keys",
    forgets((args) => String(args.user_id) in {}),
  ),
  row(
    "removes quotes from user ids",
    "X-sql-text",
    15,
    "metrics/sql-text",
    records((args) => ({ ...args, user_id: String(args.user_id).replaceAll(/['"]/g, "") })),
  ),
  row(
    "writes rows of a second collector only at closing",
    "X-two-handles",
    16,
    "metrics/two-handles",
    forgets((_args, request) => request.handle === "second"),
  ),
  row(
    "recreates the table interactions",
    "X-foreign-objects",
    15,
    "metrics/foreign-objects",
    opens(runs("DROP TRIGGER IF EXISTS noted; DROP INDEX IF EXISTS by_team")),
  ),
  metrics(
    "accepts a row after an id above 2^53-1",
    "U-exact-ids",
    16,
    "ids-beyond-exact",
    forgets(({ user_id }) => user_id === "snowflake"),
  ),
  metrics(
    "records to a database that was replaced",
    "U-acknowledged",
    16,
    "replaced-file",
    forgets(({ user_id }) => user_id === "replaced"),
  ),
  metrics(
    "records to a database that was removed",
    "U-acknowledged",
    15,
    "removed-file",
    forgets(({ user_id }) => user_id === "removed"),
  ),
  metrics(
    "records to a log that was removed",
    "U-acknowledged",
    16,
    "removed-log",
    forgets(({ user_id }) => user_id === "without a log"),
  ),
  metrics(
    "opens a table whose levels are text",
    "U-column-types",
    16,
    "column-types",
    answers("MetricsCollector", (answer, { args: { db_path: path } }) =>
      isDatabase(String(path)) && rowsOf(String(path), TEXT_LEVELS).length > 0 ? ok(answer) : answer,
    ),
  ),
  row(
    "refuses to read ids that it does not write",
    "U-reading",
    16,
    "statistics/stored-ids",
    refuses("get_user_stats", ({ user_id }) => String(user_id).includes("\0")),
  ),
  row(
    "returns only the first thousand users",
    "R-4.2/get-all-users",
    16,
    "metrics/many-users",
    answers("get_all_users", (answer) => value(answer, (users) => (users as JsonValue[]).slice(0, 1000))),
  ),
  row("leaves a lock file next to its database", "X-no-leftovers", 16, "metrics/no-leftovers", {
    settled: (databases) => databases.forEach((path) => writeFileSync(`${path}.lock`, "")),
  }),
  row("counts queries as operations", "X-repeatable", 16, "statistics/repeatable", countsQuestions()),
  row(
    "stores the users of queries",
    "X-files-untouched",
    16,
    "statistics/database-untouched",
    alters("INSERT INTO interactions (user_id, level, success) VALUES ('nobody', 1, 1)"),
  ),
  row(
    "rewrites timestamps on opening",
    "X-files-untouched",
    15,
    "statistics/database-untouched",
    opens(runs("UPDATE interactions SET timestamp = datetime(timestamp)")),
  ),
];
