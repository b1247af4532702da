import { rmSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "../../values/json_value.ts";
import { forgets, opens, records, refusal, refuses, runs } from "./metrics_mutations.ts";
import { alters, answers, receives, row, value } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutations.ts";

const metrics = (name: string, requirement: string, line: 15 | 16, kills: string, mutation: Mutation): Mutant =>
  row(name, requirement, line, `metrics/${kills}`, mutation);

const inSeconds = (args: JsonObject): JsonObject => ({
  ...args,
  response_time_ms: Number(args.response_time_ms) / 1000,
});

/** Collectors that record wrongly (sections 4.2, 4.3 and 9). */
export const METRICS_RECORDING_MUTANTS: readonly Mutant[] = [
  metrics(
    "puts every database into one file",
    "R-4.2/db-path",
    15,
    "db-path",
    receives("MetricsCollector", (args, directory) => ({ ...args, db_path: join(directory, "one.db") })),
  ),
  metrics(
    "takes paths for addresses",
    "R-4.2/db-path",
    16,
    "db-path-characters",
    receives("MetricsCollector", (args) => ({ ...args, db_path: String(args.db_path).replace(/#.*/, "") })),
  ),
  metrics(
    "has another default path",
    "R-4.2/db-path.default",
    16,
    "default-path",
    receives("MetricsCollector", (args, directory) => ({ db_path: join(directory, "empathy.db"), ...args })),
  ),
  metrics(
    "takes every call for a success",
    "R-4.2/record-metric",
    16,
    "record-metric",
    receives("record_metric", (args) => ({ ...args, success: true })),
  ),
  metrics(
    "wants metadata",
    "R-4.2/metadata.optional",
    15,
    "metadata-optional",
    refuses("record_metric", (args) => !("metadata" in args) || args.metadata === null),
  ),
  metrics(
    "takes no empty metadata",
    "R-4.2/metadata.optional",
    16,
    "metadata-optional",
    refuses("record_metric", ({ metadata }) => typeof metadata === "object" && JSON.stringify(metadata) === "{}"),
  ),
  metrics("stores seconds", "R-4.2/record-interaction", 16, "record-interaction", records(inSeconds)),
  metrics(
    "counts interactions up instead of adding a row",
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
    "records with the time at which the database was made",
    "R-4.2/timestamp",
    16,
    "timestamp",
    alters("UPDATE interactions SET timestamp = (SELECT min(timestamp) FROM interactions)"),
  ),
  metrics(
    "gives a user for each interaction",
    "R-4.2/get-all-users",
    16,
    "all-users",
    answers("get_all_users", (answer) => value(answer, (users) => [...(users as JsonValue[]), "alice"])),
  ),
  metrics(
    "gives only users who succeeded once",
    "R-4.2/get-all-users",
    15,
    "all-users",
    forgets((args) => args.success === false),
  ),
  metrics("begins anew with each start", "R-4.2/reopened", 16, "reopened", opens(runs("DELETE FROM interactions"))),
  metrics(
    "copies a database without its write-ahead log",
    "R-4.2/foreign-files",
    16,
    "continued",
    opens((path) => rmSync(`${path}-wal`, { force: true })),
  ),
  metrics(
    "brings the databases of others into its own form",
    "R-4.2/foreign-files",
    15,
    "other-spelling",
    opens(runs("UPDATE interactions SET timestamp = strftime('%Y-%m-%d %H:%M:%S', timestamp); DROP TABLE notes")),
  ),
  metrics(
    "takes empathy_level and records 1",
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
    "still takes empathy_level",
    "U-empathy-level-argument",
    16,
    "empathy-level-removed",
    receives("record_metric", ({ empathy_level: _taken, ...args }) => args),
  ),
  metrics("refuses empathy_level after recording it", "U-empathy-level-argument", 16, "empathy-level-removed", {
    ...receives("record_metric", ({ empathy_level: _taken, ...args }) => args),
    answer: (request, answer) => ("empathy_level" in request.args ? refusal(answer) : answer),
  }),
];
