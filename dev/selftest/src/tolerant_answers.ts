import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isObject, isTaggedNumber, tokenOf } from "../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../packages/conformance/src/values/json_value.ts";
import { asks, collectors, isRecord, records } from "./mutants/metrics_mutations.ts";
import { answers, isDatabase, ok, openUnsynced, receives, refusal, refuses, value } from "./mutants/mutations.ts";
import type { Call, Mutation } from "./mutants/mutations.ts";
import { everyText, NEVER, prepares, rewritesDatabases, rowsOf } from "./mutants/sqlite_mutations.ts";
import { readsFileAs } from "./tolerant_files.ts";
import { STATE_FIELDS, type Tolerance } from "./tolerance.ts";

const RECORDS = ["record_metric", "record_interaction"];
/** Arguments without one of them. */
const without = (args: JsonObject, left: string): JsonObject =>
  Object.fromEntries(Object.entries(args).filter(([name]) => name !== left));

const LOADS = ["load_from_json", "load_from_sqlite"];

/** Gives errors of an operation another kind. */
const failsAs = (op: string, from: string, to: "invalid_json" | "other"): Mutation =>
  answers(op, (answer) => (answer.type === "error" && answer.kind === from ? { ...answer, kind: to } : answer));

/** Changes every text of the arguments of a call, except for paths. */
const inArguments = (args: JsonObject, change: (text: string) => string): JsonObject =>
  Object.fromEntries(
    Object.entries(args).map(([name, member]) => [
      name,
      ["filepath", "db_path", "state_dir", "path"].includes(name) ? member : everyText(member, change),
    ]),
  );

/** Writes what the lines refuse as characters for private use: NUL, lone surrogates, and no character at all. */
const coded = (text: string): string =>
  text === ""
    ? "\uE000"
    : text.replaceAll(/[\0\p{Surrogate}]/gu, (unit) => `\uE001${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
const decoded = (text: string): string =>
  text === "\uE000"
    ? ""
    : text.replaceAll(/\uE001([\da-f]{4})/g, (_all, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)));

/** Loads an empty library from the databases that `when` selects. */
const loadsEmpty = (when: (path: string) => boolean): Mutation => {
  const empty = (request: Call): boolean => request.op === "load_from_sqlite" && when(String(request.args.db_path));
  return {
    op: "load_from_sqlite",
    before: (request) => (empty(request) ? { ...request, op: "PatternLibrary", args: { patterns: [] } } : request),
    answer: (request, answer) =>
      empty(request) && answer.type === "ok" ? ok(answer, { patterns: [], agent_contributions: {} }) : answer,
  };
};
const hasNoPatterns = (path: string): boolean =>
  isDatabase(path) && rowsOf(path, "SELECT 1 FROM sqlite_schema WHERE name = 'patterns'").length === 0;

/** Changes the patterns that the implementation loads. */
const loadedPatternsAre = (change: (patterns: JsonObject[]) => JsonObject[]): Mutation => ({
  ops: LOADS,
  answer: (request, answer) =>
    LOADS.includes(request.op) && answer.type === "ok"
      ? value(answer, (library) => ({
          ...(library as JsonObject),
          patterns: change((library as JsonObject).patterns as JsonObject[]),
        }))
      : answer,
});

/** Changes the patterns that the implementation is given, and those that it loads. */
const patternsAre = (change: (patterns: JsonObject[]) => JsonObject[]): Mutation => ({
  ...loadedPatternsAre(change),
  ops: ["PatternLibrary", ...LOADS],
  before: (request) =>
    request.op === "PatternLibrary" && Array.isArray(request.args.patterns)
      ? { ...request, args: { ...request.args, patterns: change(request.args.patterns as JsonObject[]) } }
      : request,
});

/** Changes the timestamps of patterns. */
const respellsTimes = (respell: (time: string) => string): Mutation => {
  const changed = (given: JsonValue | undefined): JsonValue =>
    typeof given === "string" ? respell(given) : (given ?? null);
  return patternsAre((patterns) =>
    patterns.map((pattern) =>
      isObject(pattern)
        ? { ...pattern, discovered_at: changed(pattern.discovered_at), last_used: changed(pattern.last_used) }
        : pattern,
    ),
  );
};

/** Cuts the fractions of the timestamps of patterns to a number of digits. */
const cutsFractions = (digits: number): Mutation => {
  const fraction = new RegExp(String.raw`(\d\d:\d\d:\d\d)(\.\d{1,${Math.max(digits, 1)}})\d*$`);
  return respellsTimes((time) => time.replace(fraction, digits === 0 ? "$1" : "$1$2"));
};

/** A number as a double, which some of its digits do not survive. */
function rounded(given: JsonValue): JsonValue {
  if (isTaggedNumber(given)) {
    const number = Number(tokenOf(given));
    return Number.isSafeInteger(number) || !Number.isInteger(number) ? number : given;
  }
  if (Array.isArray(given)) return given.map(rounded);
  if (!isObject(given)) return given;
  return Object.fromEntries(Object.entries(given).map(([key, member]) => [key, rounded(member)]));
}

/** The contexts of the patterns of a library. */
const contextsOf = ({ patterns }: JsonObject): JsonValue[] =>
  Array.isArray(patterns) ? patterns.map((pattern) => (isObject(pattern) ? (pattern.context ?? null) : null)) : [];

/** True for a value with a number that a double does not hold. */
const hasExact = (given: JsonValue): boolean =>
  isTaggedNumber(given) ||
  (Array.isArray(given) && given.some(hasExact)) ||
  (isObject(given) && Object.values(given).some(hasExact));

/** Changes the statistics of users. */
const ofUser = (change: (statistics: Record<string, number>) => JsonValue): Mutation =>
  answers("get_user_stats", (answer) =>
    value(answer, (statistics) => (isObject(statistics) ? change(statistics as Record<string, number>) : statistics)),
  );
const isUnknown = (answer: object): boolean =>
  "value" in answer && isObject(answer.value) && answer.value.total_operations === 0;
const isEmpty = (answer: object): boolean =>
  "value" in answer && isObject(answer.value) && answer.value.total_interactions === 0;

/** The level that a comparison of counts prefers. */
const levelBy = (better: (count: number, best: number) => boolean): Mutation =>
  ofUser((statistics) => {
    const counted = [1, 2, 3, 4, 5].filter((level) => (statistics[`level_${level}_count`] ?? 0) > 0);
    const countOf = (level: number): number => statistics[`level_${level}_count`] as number;
    const [first, ...rest] = counted;
    return first === undefined
      ? statistics
      : {
          ...statistics,
          current_level: rest.reduce((best, level) => (better(countOf(level), countOf(best)) ? level : best), first),
        };
  });

const isUnfit = (id: JsonValue | undefined): boolean => typeof id === "string" && /^$|\0/.test(id);
const READINGS = ["get_user_stats", "get_user_trend"];
const isReading = ({ op }: Call): boolean => READINGS.includes(op);

const onlyFields = (state: JsonValue): JsonValue =>
  isObject(state) ? Object.fromEntries(Object.entries(state).filter(([key]) => STATE_FIELDS.includes(key))) : state;
const hasMore = (state: JsonValue | undefined): boolean =>
  isObject(state) && Object.keys(state).some((key) => !STATE_FIELDS.includes(key));

/** Keeps the rows of known patterns as they are, and adds only new ones. */
function insertsOnly(): Mutation {
  let kept: JsonObject[] = [];
  return {
    op: "save_to_sqlite",
    before(request) {
      const path = String(request.args.db_path);
      if (request.op === "save_to_sqlite")
        kept =
          existsSync(path) && isDatabase(path) && !hasNoPatterns(path) ? rowsOf(path, "SELECT * FROM patterns") : [];
      return request;
    },
    answer(request, answer) {
      if (request.op !== "save_to_sqlite" || answer.type !== "ok" || kept.length === 0) return answer;
      const database = openUnsynced(String(request.args.db_path));
      const columns = Object.keys(kept[0] as JsonObject);
      const update = database.prepare(
        `UPDATE patterns SET ${columns.map((name) => `"${name}" = ?`).join()} WHERE id = ?`,
      );
      database.transaction(() => kept.forEach((row) => update.run(...Object.values(row), row.id)))();
      database.close();
      return answer;
    },
  };
}

/** Removes the rows of pattern_usage that a save has added. */
function writesNoUses(): Mutation {
  const last = (path: string): number =>
    existsSync(path) &&
    isDatabase(path) &&
    rowsOf(path, "SELECT 1 FROM sqlite_schema WHERE name = 'pattern_usage'").length > 0
      ? Number(rowsOf(path, "SELECT coalesce(max(id), 0) AS id FROM pattern_usage")[0]?.id)
      : 0;
  let before = 0;
  return {
    op: "save_to_sqlite",
    before(request) {
      if (request.op === "save_to_sqlite") before = last(String(request.args.db_path));
      return request;
    },
    answer(request, answer) {
      if (request.op !== "save_to_sqlite" || answer.type !== "ok") return answer;
      const database = openUnsynced(String(request.args.db_path));
      database.prepare("DELETE FROM pattern_usage WHERE id > ?").run(before);
      database.close();
      return answer;
    },
  };
}

function listsByFirstUse(): Mutation {
  const { sees, pathOf } = collectors();
  return {
    ops: ["MetricsCollector", "get_all_users"],
    before(request) {
      sees(request);
      return request;
    },
    answer(request, answer) {
      const path = pathOf(request);
      if (request.op !== "get_all_users" || answer.type !== "ok" || !existsSync(path)) return answer;
      const rows = rowsOf(path, "SELECT user_id AS user_id FROM interactions GROUP BY user_id ORDER BY min(id)");
      return ok(
        answer,
        rows.map(({ user_id: userId }) => userId as JsonValue),
      );
    },
  };
}

/** The operations that make a file. */
const MAKERS = ["save_to_json", "save_to_sqlite", "export_metrics", "MetricsCollector"];

const CONFIGURATION = ["user_id", "persistence_enabled", "persistence_path", "target_level"];

/** Habits that answer one open question each. */
export const TOLERANT_ANSWERS: readonly Tolerance[] = [
  {
    name: "refuses to save over existing data",
    choices: { "U-save-existing": "refuse" },
    mutation: {
      ops: ["save_to_json", "save_to_sqlite"],
      before: (request) =>
        request.op.startsWith("save_to_") && existsSync(String(request.args.filepath ?? request.args.db_path))
          ? refusal(request, "FileExistsError", "other")
          : request,
    },
  },
  {
    name: "keeps known patterns in a database unchanged",
    choices: { "U-save-existing": "insert-only" },
    mutation: insertsOnly(),
  },
  {
    name: "reports a missing database as any other error",
    choices: { "U-sqlite-missing": "other-error" },
    misses: ["patterns-sqlite/load-missing"],
    mutation: failsAs("load_from_sqlite", "not_found", "other"),
  },
  {
    name: "leaves an empty file where a missing database is loaded",
    choices: { "U-sqlite-missing": "creates" },
    misses: ["patterns-sqlite/load-missing"],
    mutation: prepares("load_from_sqlite", ({ args }) => {
      const path = String(args.db_path);
      if (existsSync(dirname(path)) && !existsSync(path)) writeFileSync(path, "");
    }),
  },
  {
    name: "loads a missing database as an empty library",
    choices: { "U-sqlite-missing": "empty" },
    misses: ["patterns-sqlite/load-missing"],
    mutation: loadsEmpty((path) => !existsSync(path)),
  },
  {
    name: "loads a database without patterns as an empty library",
    choices: { "U-sqlite-not-a-library": "empty" },
    mutation: loadsEmpty((path) => existsSync(path) && hasNoPatterns(path)),
  },
  {
    name: "reports databases that it cannot read as any other error",
    choices: { "U-sqlite-not-a-library": "other-error" },
    mutation: failsAs("load_from_sqlite", "rejected", "other"),
  },
  {
    name: "reports JSON that is not a library as text that is not JSON",
    choices: { "U-json-shape": "decode-error", "U-format-version": "other-error" },
    mutation: failsAs("load_from_json", "rejected", "invalid_json"),
  },
  {
    name: "reports JSON that is not a library as any other error",
    choices: { "U-json-shape": "other-error", "U-format-version": "other-error" },
    mutation: failsAs("load_from_json", "rejected", "other"),
  },
  {
    name: "does not look at the version of a library file",
    choices: { "U-format-version": "ignored" },
    mutation: readsFileAs((text) => text.replace(/("version"\s*:\s*)"[^"\\]*"/, '$1"1.0"')),
  },
  {
    name: "keeps the timestamps of patterns to the second",
    choices: { "U-timestamps": "seconds" },
    mutation: cutsFractions(0),
  },
  {
    name: "keeps the timestamps of patterns to the millisecond",
    choices: { "U-timestamps": "milliseconds" },
    mutation: cutsFractions(3),
  },
  {
    name: "gives all fractions of the timestamps of patterns six digits",
    choices: { "U-timestamps": "reformatted" },
    mutation: respellsTimes((time) =>
      time.replace(/^(\d{4}-\d\d-\d\d) /, "$1T").replace(/\.\d{1,6}$/, (digits) => digits.padEnd(7, "0")),
    ),
  },
  {
    name: "replaces characters that ids cannot have",
    choices: { "U-text": "replaced" },
    mutation: {
      before: (request) => ({
        ...request,
        args: inArguments(request.args, (text) => text.toWellFormed().replaceAll("\0", "\uFFFD")),
      }),
    },
  },
  {
    name: "accepts every text as an id",
    choices: { "U-text": "accepted" },
    mutation: {
      before: (request) => ({ ...request, args: inArguments(request.args, coded) }),
      answer: (_request, answer) => value(answer, (given) => everyText(given, decoded)),
    },
  },
  {
    name: "sorts patterns by their ids",
    choices: { "U-order": "by-id" },
    mutation: patternsAre((patterns) =>
      patterns.every(isObject) ? patterns.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1)) : patterns,
    ),
  },
  {
    name: "loads patterns in the opposite order",
    choices: { "U-order": "other" },
    mutation: loadedPatternsAre((patterns) => patterns.toReversed()),
  },
  {
    name: "refuses numbers of contexts that a double does not hold",
    choices: { "U-numbers": "refused" },
    mutation: {
      ops: ["PatternLibrary", ...LOADS],
      before: (request) =>
        request.op === "PatternLibrary" && hasExact(contextsOf(request.args)) ? refusal(request) : request,
      answer: (request, answer) =>
        LOADS.includes(request.op) && "value" in answer && hasExact(contextsOf(answer.value as JsonObject))
          ? refusal(answer)
          : answer,
    },
  },
  {
    name: "rounds the numbers of contexts to doubles",
    choices: { "U-numbers": "rounded" },
    mutation: patternsAre((patterns) =>
      patterns.map((pattern) =>
        isObject(pattern) && isObject(pattern.context) ? { ...pattern, context: rounded(pattern.context) } : pattern,
      ),
    ),
  },
  {
    name: "stores no metadata",
    choices: { "U-metadata-storage": "other" },
    mutation: { ...records((args) => without(args, "metadata")), ops: RECORDS },
  },
  {
    name: "records a metric at level 1",
    choices: { "U-record-metric-level": "one", "U-metadata-storage": "other" },
    line: "perdura-16",
    mutation: {
      op: "record_metric",
      before: (request) => {
        if (request.op !== "record_metric") return request;
        return { ...request, op: "record_interaction", args: { ...without(request.args, "metadata"), level: 1 } };
      },
      answer: (request, answer) => (request.op === "record_metric" && answer.type === "ok" ? ok(answer) : answer),
    },
  },
  {
    name: "calls the highest level the current one",
    choices: { "U-current-level": "highest", "U-record-metric-level": "other" },
    mutation: levelBy(() => true),
  },
  {
    name: "calls the most used level the current one",
    choices: { "U-current-level": "most-used", "U-record-metric-level": "other" },
    mutation: levelBy((count, best) => count > best),
  },
  {
    name: "gives every user the current level 1",
    choices: { "U-current-level": "other", "U-record-metric-level": "other" },
    mutation: ofUser((statistics) =>
      statistics.current_level === undefined ? statistics : { ...statistics, current_level: 1 },
    ),
  },
  {
    name: "adds keys of its own to the statistics of users",
    choices: { "U-stats-extra": "others" },
    mutation: ofUser((statistics) => ({ ...statistics, longest_streak: 3, level_0_count: 0, since_version: "16" })),
  },
  {
    name: "gives unknown users a current level",
    choices: { "U-unknown-user": "zeros-with-level" },
    mutation: ofUser((statistics) =>
      statistics.total_operations === 0 ? { ...statistics, current_level: 1 } : statistics,
    ),
  },
  {
    name: "has no statistics of unknown users",
    choices: { "U-unknown-user": "error" },
    mutation: answers("get_user_stats", (answer) =>
      isUnknown(answer) ? refusal(answer, "KeyError", "other") : answer,
    ),
  },
  {
    name: "returns nothing for unknown users",
    choices: { "U-unknown-user": "none" },
    mutation: answers("get_user_stats", (answer) => (isUnknown(answer) ? ok(answer) : answer)),
  },
  {
    name: "has no statistics of an empty database",
    choices: { "U-global-empty": "error" },
    mutation: answers("get_global_stats", (answer) =>
      isEmpty(answer) ? refusal(answer, "ZeroDivisionError", "other") : answer,
    ),
  },
  {
    name: "returns nothing for an empty database",
    choices: { "U-global-empty": "none" },
    mutation: answers("get_global_stats", (answer) => (isEmpty(answer) ? ok(answer) : answer)),
  },
  {
    name: "counts missing response times as 0",
    choices: { "U-null-response-time": "as-zero" },
    mutation: {
      ...asks(
        "get_user_stats",
        `SELECT coalesce(avg(CASE WHEN typeof(response_time_ms) IN ('integer', 'real') THEN response_time_ms ELSE 0 END), 0)
        AS avg_response_time_ms FROM interactions WHERE user_id = ?`,
      ),
      ops: ["get_user_stats"],
    },
  },
  {
    name: "brings levels and response times into their range",
    choices: { "U-range": "clamped" },
    mutation: {
      ...records((args) => ({
        ...args,
        ...Object.fromEntries(
          Object.entries(args).flatMap(([name, given]) => {
            if (typeof given !== "number") return [];
            if (name === "response_time_ms") return [[name, Math.max(0, given)]];
            return name.endsWith("level") ? [[name, Math.min(5, Math.max(1, Math.round(given)))]] : [];
          }),
        ),
      })),
      ops: RECORDS,
    },
  },
  {
    name: "refuses to read the statistics of ids that it does not record",
    choices: { "U-reading": "refused" },
    mutation: {
      ops: READINGS,
      before: (request) => (isReading(request) && isUnfit(request.args.user_id) ? refusal(request) : request),
    },
  },
  {
    name: "answers for ids that it does not record as for unknown users",
    choices: { "U-reading": "zeros" },
    mutation: {
      ops: READINGS,
      before: (request) =>
        isReading(request) && isUnfit(request.args.user_id)
          ? { ...request, args: { ...request.args, user_id: "no such user" } }
          : request,
    },
  },
  {
    name: "exports JSON whatever the extension",
    choices: { "U-export": "json" },
    mutation: {
      op: "export_metrics",
      before: (request) =>
        request.op === "export_metrics" && typeof request.args.filepath === "string"
          ? { ...request, args: { ...request.args, filepath: `${request.args.filepath}.json` } }
          : request,
      answer(request, answer) {
        const path = String(request.args.filepath);
        if (request.op === "export_metrics" && answer.type === "ok") renameSync(`${path}.json`, path);
        return answer;
      },
    },
  },
  {
    name: "names the zone of saved_at",
    choices: { "U-saved-at-zone": "named" },
    mutation: answers("save_to_json", (answer, { args }) => {
      const path = String(args.filepath);
      if (answer.type === "ok")
        writeFileSync(
          path,
          readFileSync(path, "utf8").replace(/("saved_at": "[^"]+)"(?=[^"]*"pattern_count")/, '$1Z"'),
        );
      return answer;
    }),
  },
  {
    name: "needs the path of its database",
    choices: { "U-db-path-default": "none" },
    line: "perdura-15",
    mutation: refuses("MetricsCollector", (args) => args.db_path === undefined),
  },
  {
    name: "needs the directory of its states",
    choices: { "U-state-dir": "none" },
    line: "perdura-15",
    mutation: refuses("StateManager", (args) => args.state_dir === undefined),
  },
  {
    name: "has another default directory for states",
    choices: { "U-state-dir": "other" },
    line: "perdura-15",
    mutation: receives("StateManager", (args, directory) => ({ state_dir: join(directory, "collaboration"), ...args })),
  },
  {
    name: "gives no state where the file has another content",
    choices: { "U-state-corrupt": "none" },
    line: "perdura-15",
    mutation: answers("load_state", (answer) =>
      answer.type === "error" && answer.kind === "rejected" ? ok(answer) : answer,
    ),
  },
  {
    name: "saves the state of another user as that of the argument",
    choices: { "U-state-user-mismatch": "overwritten" },
    line: "perdura-15",
    mutation: receives("save_state", (args) =>
      isObject(args.state) ? { ...args, state: { ...args.state, user_id: args.user_id as JsonValue } } : args,
    ),
  },
  {
    name: "keeps only the described fields of a state",
    choices: { "U-state-extra": "dropped", "U-state-field-keys": "dropped as further fields" },
    line: "perdura-15",
    mutation: {
      ops: ["save_state", "load_state"],
      before: (request) =>
        request.op === "save_state"
          ? { ...request, args: { ...request.args, state: onlyFields(request.args.state as JsonValue) } }
          : request,
      answer: (request, answer) => (request.op === "load_state" ? value(answer, onlyFields) : answer),
    },
  },
  {
    name: "refuses states with further fields",
    choices: { "U-state-extra": "refused", "U-state-field-keys": "refused" },
    line: "perdura-15",
    mutation: {
      ops: ["save_state", "load_state"],
      before: (request) =>
        request.op === "save_state" && hasMore(request.args.state) ? refusal(request, "TypeError") : request,
      answer: (request, answer) =>
        request.op === "load_state" && "value" in answer && hasMore(answer.value as JsonValue)
          ? refusal(answer, "TypeError")
          : answer,
    },
  },
  {
    name: "ignores keys of a configuration that it does not know",
    choices: { "U-config-keys": "ignored" },
    mutation: receives("open_persistence", (args) =>
      isObject(args.config)
        ? {
            ...args,
            config: Object.fromEntries(Object.entries(args.config).filter(([key]) => CONFIGURATION.includes(key))),
          }
        : args,
    ),
  },
  {
    name: "ignores an empathy level",
    choices: { "U-empathy-level-argument": "ignored" },
    line: "perdura-16",
    mutation: {
      ops: RECORDS,
      before: (request) => (isRecord(request) ? { ...request, args: without(request.args, "empathy_level") } : request),
    },
  },
  {
    name: "makes the directory of a file",
    choices: { "U-missing-directory": "made" },
    mutation: {
      ops: MAKERS,
      before: (request) => {
        const path = request.args.filepath ?? request.args.db_path;
        if (MAKERS.includes(request.op) && typeof path === "string" && isAbsolute(path))
          mkdirSync(dirname(path), { recursive: true });
        return request;
      },
    },
  },
  {
    name: "writes no rows of uses",
    choices: { "U-usage-table": "never" },
    mutation: writesNoUses(),
  },
  {
    name: "lists users in the order of their first interaction",
    choices: { "U-users-order": "first-use" },
    mutation: listsByFirstUse(),
  },
  {
    name: "writes timestamps of interactions with T and Z",
    choices: { "U-timestamp-zone": "other", "U-stats-extra": "times with T and Z" },
    mutation: rewritesDatabases(
      "interactions",
      NEVER,
      () => "UPDATE interactions SET timestamp = replace(timestamp, ' ', 'T') || 'Z' WHERE timestamp NOT LIKE '%Z'",
    ),
  },
];
