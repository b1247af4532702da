import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ADAPTER_TIME_ZONE } from "../../../packages/conformance/src/matching/timestamp.ts";
import { isObject } from "../../../packages/conformance/src/values/json_value.ts";
import type { JsonValue } from "../../../packages/conformance/src/values/json_value.ts";
import { asks, collectors, isRecord, opens } from "./mutants/metrics_mutations.ts";
import { answers, isDatabase, ok, openUnsynced, receives, refusal, value } from "./mutants/mutations.ts";
import type { Answer } from "../../../packages/conformance/src/protocol/messages.ts";
import type { Call, Mutation } from "./mutants/mutations.ts";
import { rowsOf } from "./mutants/sqlite_mutations.ts";
import type { Tolerance } from "./tolerance.ts";

const RECORDS = ["MetricsCollector", "record_metric", "record_interaction"];

/** Opens files that the line refuses, and fails at each later call. */
function failsLate(when: (path: string) => boolean): Mutation {
  const unusable = new Set<string>();
  return {
    before(request) {
      const { op, args, handle, keep } = request;
      if (handle !== undefined && unusable.has(handle)) return refusal(request, "DatabaseError", "other");
      const path = args.db_path;
      const isRefused = op === "MetricsCollector" && typeof path === "string" && existsSync(path) && when(path);
      if (keep !== undefined && isRefused) unusable.add(keep);
      else if (keep !== undefined) unusable.delete(keep);
      return isRefused ? ok(request) : request;
    },
  };
}

/** True for a table whose column of levels stores text. */
const hasTextLevels = (path: string): boolean =>
  isDatabase(path) &&
  rowsOf(
    path,
    "SELECT 1 FROM pragma_table_info('interactions') WHERE name IN ('level', 'empathy_level') AND type = 'TEXT'",
  ).length > 0;

/** Changes what a record call has done: its answer, and its row, which is the one with the largest id. */
function recordsAs(change: (request: Call, answer: Answer, path: string) => Answer): Mutation {
  const { sees, pathOf } = collectors();
  return {
    ops: RECORDS,
    before(request) {
      sees(request);
      return request;
    },
    answer(request, answer) {
      const path = pathOf(request);
      return isRecord(request) && isDatabase(path) ? change(request, answer, path) : answer;
    },
  };
}

const runsOn = (path: string, sql: string, ...parameters: unknown[]): void => {
  const database = openUnsynced(path);
  database.prepare(sql).run(...parameters);
  database.close();
};

const levelColumnOf = (path: string): string =>
  String(rowsOf(path, "SELECT name FROM pragma_table_info('interactions') WHERE name LIKE '%level'")[0]?.name);

const LARGEST_EXACT = 9_007_199_254_740_991n;

/** Records also where the next id is beyond the integers that a double represents. */
const recordsAnyId: Mutation = recordsAs(({ args }, answer, path) => {
  const database = openUnsynced(path);
  try {
    database.defaultSafeIntegers(true);
    const next = database.prepare("SELECT max(id) + 1 FROM interactions").pluck().get() as bigint | null;
    if (answer.type !== "error" || next === null || next <= LARGEST_EXACT) return answer;
    const sql = `INSERT INTO interactions (user_id, ${levelColumnOf(path)}, success, response_time_ms) VALUES (?, ?, ?, ?)`;
    database
      .prepare(sql)
      .run(args.user_id, args.level ?? args.empathy_level ?? 1, Number(args.success), args.response_time_ms);
    return ok(answer, { $int: String(next) });
  } finally {
    database.close();
  }
});

/** A time of UTC in the zone of the adapters, as `YYYY-MM-DD HH:MM:SS`. */
const local = (utc: string): string =>
  new Date(`${utc.replace(" ", "T")}Z`).toLocaleString("sv-SE", { timeZone: ADAPTER_TIME_ZONE });

/** Gives new rows the local time. */
const recordsLocalTime: Mutation = recordsAs((_request, answer, path) => {
  const last = "WHERE id = (SELECT max(id) FROM interactions)";
  const utc = rowsOf(path, `SELECT timestamp FROM interactions ${last}`)[0]?.timestamp;
  if (answer.type === "ok") runsOn(path, `UPDATE interactions SET timestamp = ? ${last}`, local(String(utc)));
  return answer;
});

/** Changes `saved_at` of saved libraries. */
const savedAt = (change: (utc: string) => string): Mutation =>
  answers("save_to_json", (answer, { args }) => {
    const path = String(args.filepath);
    const saved = /("saved_at": ")([^"]+)(?="[^"]*"pattern_count")/;
    if (answer.type === "ok")
      writeFileSync(
        path,
        readFileSync(path, "utf8").replace(saved, (_all, key: string, utc: string) => `${key}${change(utc)}`),
      );
    return answer;
  });
/** Changes a metrics database of the other line, which has another column of levels, when a collector opens it. */
const opensOther = (column: "level" | "empathy_level", ...statements: readonly string[]): Mutation => ({
  ...opens((path) => {
    if (isDatabase(path) && levelColumnOf(path) === column) for (const sql of statements) runsOn(path, sql);
  }),
  op: "MetricsCollector",
});

const TRENDS = ["get_user_trend", "get_global_trend"];
const SPLIT_MODULES = ["pattern_persistence", "metrics_collector", "pattern_library"];

/** Answers record calls as if they had succeeded, if another file is at the place of the open database. */
function recordsIntoRemovedFiles(): Mutation {
  const opened = new Map<string, number | undefined>();
  const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;
  const { sees, pathOf } = collectors();
  return {
    ops: RECORDS,
    before(request) {
      sees(request);
      return request;
    },
    answer(request, answer) {
      const path = pathOf(request);
      const inode = inodeOf(path);
      if (request.op === "MetricsCollector" || (isRecord(request) && answer.type === "ok"))
        opened.set(request.keep ?? request.handle ?? "", inode);
      const before = opened.get(request.handle ?? "");
      const isLost = isRecord(request) && answer.type === "error" && before !== undefined && before !== inode;
      return isLost ? ok(request) : answer;
    },
  };
}

/** Habits of collectors and configurations that answer open questions. */
export const TOLERANT_COLLECTORS: readonly Tolerance[] = [
  {
    name: "opens a file that is not a database, and fails when it is used",
    choices: { "U-not-a-database": "late-error" },
    mutation: failsLate((path) => !isDatabase(path)),
  },
  {
    name: "replaces a file that is not a database",
    choices: { "U-not-a-database": "replaced" },
    mutation: { ...opens((path) => (isDatabase(path) ? undefined : rmSync(path))), op: "MetricsCollector" },
  },
  {
    name: "opens a table whose levels are text, and fails when it is used",
    choices: { "U-column-types": "opened" },
    mutation: failsLate(hasTextLevels),
  },
  {
    name: "has no mean for users without response times",
    choices: { "U-null-response-time": "none" },
    mutation: {
      ...asks(
        "get_user_stats",
        `SELECT NULL AS avg_response_time_ms FROM interactions WHERE user_id = ?
        GROUP BY user_id HAVING count(CASE WHEN typeof(response_time_ms) IN ('integer', 'real') THEN 1 END) = 0`,
      ),
      ops: ["get_user_stats"],
    },
  },
  {
    name: "records where the next id is beyond doubles",
    choices: { "U-exact-ids": "recorded" },
    mutation: recordsAnyId,
  },
  {
    name: "records into a file that was removed",
    choices: { "U-acknowledged": "lost" },
    mutation: recordsIntoRemovedFiles(),
  },
  {
    name: "records interactions with the local time",
    choices: { "U-timestamp-zone": "local" },
    mutation: recordsLocalTime,
  },
  {
    name: "saves libraries with the local time",
    choices: { "U-saved-at-zone": "local" },
    mutation: savedAt((utc) => local(utc).replace(" ", "T")),
  },
  {
    name: "has another default path of the database",
    choices: { "U-db-path-default": "other" },
    line: "perdura-15",
    mutation: receives("MetricsCollector", (args, directory) => ({ db_path: join(directory, "own.db"), ...args })),
  },
  {
    name: "renames the column of levels of the other line",
    choices: { "U-other-line-metrics": "migrated" },
    line: "perdura-16",
    mutation: opensOther("empathy_level", "ALTER TABLE interactions RENAME COLUMN empathy_level TO level"),
  },
  {
    name: "adds its column of levels to a table of the other line",
    choices: { "U-other-line-metrics": "second-column" },
    line: "perdura-16",
    mutation: opensOther(
      "empathy_level",
      "ALTER TABLE interactions ADD COLUMN level INTEGER NOT NULL DEFAULT 1",
      "UPDATE interactions SET level = empathy_level",
    ),
  },
  {
    name: "makes its own table next to that of the other line",
    choices: { "U-other-line-metrics": "empty" },
    line: "perdura-15",
    mutation: opensOther("level", "ALTER TABLE interactions RENAME TO interactions_of_16"),
  },
  {
    name: "exports nothing that the formats know",
    choices: { "U-export": "other" },
    mutation: answers("export_metrics", (answer, { args }) => {
      if (answer.type === "ok") writeFileSync(String(args.filepath), "exported\n");
      return answer;
    }),
  },
  {
    name: "gives trends as one number",
    choices: { "U-trends": "other" },
    mutation: {
      ops: TRENDS,
      answer: (request, answer) =>
        TRENDS.includes(request.op) ? value(answer, (rows) => (rows as JsonValue[]).length) : answer,
    },
  },
  {
    name: "keeps the files of a configuration in a folder below its path",
    choices: { "U-config": "other" },
    mutation: receives("open_persistence", (args) =>
      isObject(args.config) && typeof args.config.persistence_path === "string"
        ? { ...args, config: { ...args.config, persistence_path: join(args.config.persistence_path, "own") } }
        : args,
    ),
  },
  {
    name: "has the split modules of 16, too",
    choices: { "U-split-modules": "present" },
    line: "perdura-15",
    mutation: answers("has_module", (answer, { args }) =>
      value(answer, (has) => has === true || SPLIT_MODULES.includes(String(args.name))),
    ),
  },
];
