import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../../packages/conformance/src/values/json_value.ts";
import type { JsonObject, JsonValue } from "../../../packages/conformance/src/values/json_value.ts";
import { runs } from "./mutants/metrics_mutations.ts";
import { answers, isDatabase, ok, openUnsynced, receives, refusal, value } from "./mutants/mutations.ts";
import type { Mutation } from "./mutants/mutations.ts";
import { both, NEVER, rewritesDatabases, rowsOf } from "./mutants/sqlite_mutations.ts";
import { STATE_FIELDS, type Tolerance } from "./tolerance.ts";
import { TOLERANT_ANSWERS } from "./tolerant_answers.ts";
import { TOLERANT_COLLECTORS } from "./tolerant_collectors.ts";
import { TOLERANT_LIBRARIES } from "./tolerant_libraries.ts";
import { TOLERANT_STATES } from "./tolerant_states.ts";

/** Rewrites the JSON file with the same content in another spelling. */
function respells(respell: (document: JsonValue) => string): Mutation {
  return {
    op: "save_to_json",
    answer(request, answer) {
      if (request.op !== "save_to_json" || answer.type !== "ok") return answer;
      const file = request.args.filepath as string;
      const text = readFileSync(file, "utf8");
      // A file with a number that a double would change stays unchanged.
      if (!/\d{16}|[eE]\+?\d{3}/.test(text)) writeFileSync(file, respell(JSON.parse(text) as JsonValue));
      return answer;
    },
  };
}

function sorted(document: JsonValue): JsonValue {
  if (Array.isArray(document)) return document.map(sorted);
  if (!isObject(document)) return document;
  const members = Object.entries(document).toSorted(([a], [b]) => (a < b ? 1 : -1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
}

const escaped = (text: string): string =>
  text.replace(/[^\u0000-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Removes members from the statistics of a user. */
const withoutStatistics = (drop: (key: string, member: JsonValue) => boolean): Mutation =>
  answers("get_user_stats", (answer) =>
    value(answer, (statistics) =>
      Object.fromEntries(Object.entries(statistics as JsonObject).filter(([key, member]) => !drop(key, member))),
    ),
  );

const EXISTS = (name: string): string => `SELECT 1 FROM sqlite_schema WHERE name = '${name}'`;

/** The table interactions in another spelling: other quotes, type names, order of columns, and a descending index. */
const redeclaredInteractions = (level: string, has: (table: string, column: string) => boolean): string => `
  PRAGMA foreign_keys = OFF;
  CREATE TABLE respelt ("user_id" VARCHAR(255) NOT NULL, [${level}] INT NOT NULL, success TINYINT NOT NULL,
    "timestamp" DATETIME DEFAULT CURRENT_TIMESTAMP, response_time_ms DOUBLE PRECISION DEFAULT NULL,
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT ${has("interactions", "metadata") ? ", metadata TEXT" : ""});
  INSERT INTO respelt (user_id, ${level}, success, timestamp, response_time_ms, id)
    SELECT user_id, ${level}, success, timestamp, response_time_ms, id FROM interactions;
  DROP TABLE interactions;
  ALTER TABLE respelt RENAME TO interactions;
  CREATE INDEX idx_interactions_user ON interactions (user_id);
  CREATE INDEX idx_interactions_timestamp ON interactions ("timestamp" DESC);
  CREATE TABLE own_notes (a)`;

const FURTHER: string = "CREATE TABLE further (version INTEGER); CREATE INDEX own ON further (version)";

const writesAhead: Mutation = {
  settled(databases) {
    for (const path of databases) {
      const database = openUnsynced(path);
      database.pragma("journal_mode = WAL");
      database.close();
    }
  },
};

/**
 * Keeps metadata in a column of interactions, which it adds to the databases that it makes.
 * @param adds true if it adds the column to any database that it opens; otherwise it cannot record in one without it.
 */
function hasMetadataColumn(adds: boolean): Mutation {
  const cannotRecord = new Set<string | undefined>();
  const lacksColumn = (path: string): boolean =>
    rowsOf(path, "SELECT 1 FROM sqlite_schema WHERE name = 'interactions'").length > 0 &&
    rowsOf(path, "SELECT 1 FROM pragma_table_info('interactions') WHERE name = 'metadata'").length === 0;
  return {
    ops: ["MetricsCollector", "record_metric", "record_interaction"],
    before(request) {
      const path = request.args.db_path;
      if (request.op === "MetricsCollector") {
        cannotRecord.delete(request.keep);
        if (!adds && typeof path === "string" && isDatabase(path) && lacksColumn(path)) cannotRecord.add(request.keep);
      }
      const fails = request.op.startsWith("record_") && request.op !== "record_usage";
      return fails && cannotRecord.has(request.handle) ? refusal(request, "OperationalError", "other") : request;
    },
    answer(request, answer) {
      const path = request.args.db_path;
      if (request.op !== "MetricsCollector" || answer.type !== "ok" || typeof path !== "string") return answer;
      if (lacksColumn(path) && !cannotRecord.has(request.keep))
        runs("ALTER TABLE interactions ADD COLUMN metadata TEXT")(path);
      return answer;
    },
  };
}

/** Keeps the states of all users in one file of JSON Lines, to which it appends each change. */
function hasOneStateFile(): Mutation {
  const directories = new Map<string | undefined, string>();
  /** The states in a file of this length: reading it again would take longer than all else. */
  let known = { file: "", length: 0, states: new Map<string, JsonValue>() };
  const lengthOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const read = (file: string): Map<string, JsonValue> => {
    const length = lengthOf(file);
    if (known.file === file && known.length === length) return known.states;
    const states = new Map<string, JsonValue>();
    const lines = length === 0 ? [] : readFileSync(file, "utf8").split("\n").slice(0, -1);
    for (const [user, state] of lines.map((line) => JSON.parse(line) as [string, JsonValue?]))
      if (state === undefined) states.delete(user);
      else states.set(user, state);
    known = { file, length, states };
    return states;
  };
  return {
    ops: ["StateManager", "save_state", "load_state", "list_users", "delete_state"],
    before(request) {
      const { state_dir: stateDir, user_id: userId, state = null } = request.args;
      if (request.op === "StateManager") {
        if (typeof stateDir === "string") directories.set(request.keep, stateDir);
        else directories.delete(request.keep);
        return request;
      }
      const directory = directories.get(request.handle);
      if (directory === undefined) return request;
      const file = join(directory, "states.jsonl");
      const states = read(file);
      const store = (...change: [user: string, state?: JsonValue]): void => {
        mkdirSync(directory, { recursive: true });
        appendFileSync(file, `${JSON.stringify(change)}\n`);
        known = { file, length: lengthOf(file), states };
      };
      const user = String(userId);
      switch (request.op) {
        case "save_state":
          if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false)
            return refusal(request, "FileExistsError", "other");
          states.set(user, state);
          store(user, state);
          return ok(request);
        case "load_state":
          return ok(request, states.get(user));
        case "list_users":
          return ok(request, [...states.keys()]);
        case "delete_state": {
          const isKnown = states.delete(user);
          store(user);
          return ok(request, isKnown);
        }
        default:
          return request;
      }
    },
  };
}

/** Refuses to save or load a state without all fields of section 2.8, which calls none of them optional. */
const requiresWholeStates: Mutation = {
  ops: ["save_state", "load_state"],
  before: (request) =>
    request.op === "save_state" && !isWholeState(request.args.state) ? refusal(request, "KeyError") : request,
  answer: (request, answer) =>
    request.op === "load_state" && "value" in answer && isObject(answer.value) && !isWholeState(answer.value)
      ? refusal(answer, "KeyError")
      : answer,
};
const isWholeState = (state: JsonValue | undefined): boolean =>
  isObject(state) && STATE_FIELDS.every((field) => Object.hasOwn(state, field));

const DATABASES_OF_PATTERNS = ["save_to_sqlite", "load_from_sqlite"];

/** Stores the timestamps of patterns as seconds since 1970; section 2.1 states their form in JSON only. */
function storesNumericTimestamps(): Mutation {
  const own = new Set<string>();
  const each = (path: string, change: (column: string) => string): void => {
    const database = openUnsynced(path);
    try {
      for (const column of ["discovered_at", "last_used"]) database.exec(change(column));
    } finally {
      database.close();
    }
  };
  return {
    ops: DATABASES_OF_PATTERNS,
    before(request) {
      const path = String(request.args.db_path);
      if (DATABASES_OF_PATTERNS.includes(request.op) && own.delete(path) && isDatabase(path))
        each(
          path,
          (column) =>
            `UPDATE patterns SET ${column} = strftime('%Y-%m-%dT%H:%M:%S', ${column}, 'unixepoch') WHERE typeof(${column}) = 'integer'`,
        );
      return request;
    },
    answer(request, answer) {
      const path = String(request.args.db_path);
      if (DATABASES_OF_PATTERNS.includes(request.op) && answer.type === "ok") {
        own.add(path);
        each(
          path,
          (column) =>
            `UPDATE patterns SET ${column} = CAST(strftime('%s', ${column}) AS INTEGER) WHERE ${column} GLOB '????-??-??T??:??:??'`,
        );
      }
      return answer;
    },
  };
}

/** Every tolerated habit. */
export const TOLERANCES: readonly Tolerance[] = [
  {
    name: "sorts the keys of its JSON backwards, in one line",
    choices: { "U-json-lines": "one-line" },
    mutation: respells((document) => JSON.stringify(sorted(document))),
  },
  {
    name: "escapes all characters except ASCII and ends lines with CRLF",
    choices: {},
    mutation: respells((document) => escaped(JSON.stringify(document, null, "\t")).replaceAll("\n", "\r\n")),
  },
  {
    name: "leaves out optional fields without a value",
    choices: { "U-optional": "absent keys are not written" },
    mutation: respells((document) =>
      JSON.stringify(
        document,
        (_key, member: JsonValue) =>
          isObject(member) && "agent_id" in member
            ? Object.fromEntries(Object.entries(member).filter(([, field]) => field !== null))
            : member,
        2,
      ),
    ),
  },
  { name: "uses a write-ahead log", choices: {}, mutation: writesAhead },
  {
    name: "keeps further tables and indexes in its databases",
    choices: {},
    mutation: both(
      rewritesDatabases("interactions", EXISTS("own"), () => FURTHER),
      rewritesDatabases("patterns", EXISTS("own"), () => FURTHER),
    ),
  },
  {
    name: "replaces the content of a database when it saves",
    choices: { "U-save-existing": "replace" },
    mutation: {
      ...receives("save_to_sqlite", (args) => ({ mode: "replace", ...args })),
      answer: (request, answer) => (request.op === "save_to_sqlite" && answer.type === "ok" ? ok(answer) : answer),
    },
  },
  {
    name: "leaves out levels that never occurred",
    choices: { "U-level-counts": "absent", "U-unknown-user": "levels are absent" },
    mutation: withoutStatistics((key, member) => /^level_\d_count$/.test(key) && member === 0),
  },
  {
    name: "returns no counts of levels",
    choices: { "U-level-counts": "none", "U-unknown-user": "levels are absent" },
    line: "perdura-16",
    mutation: withoutStatistics((key) => /^level_\d_count$/.test(key)),
  },
  {
    name: "saves and loads only states with all fields",
    choices: {
      "U-state-file": "a state has all fields",
      "U-state-extra": "other",
      "U-state-field-keys": "other",
    },
    line: "perdura-15",
    mutation: requiresWholeStates,
  },
  {
    name: "stores the timestamps of patterns as numbers in SQLite",
    choices: { "U-timestamps-sqlite": "number", "U-timestamps": "numbers in SQLite" },
    mutation: storesNumericTimestamps(),
  },
  {
    name: "returns only the required statistics",
    choices: { "U-stats-extra": "none", "U-current-level": "absent", "U-record-metric-level": "other" },
    mutation: withoutStatistics((key) => ["first_use", "last_use", "current_level"].includes(key)),
  },
  {
    name: "returns users in no order",
    choices: { "U-users-order": "other" },
    mutation: answers("get_all_users", (answer) => value(answer, (users) => (users as JsonValue[]).toReversed())),
  },
  {
    name: "computes trust in binary fractions",
    choices: {},
    mutation: answers("get_user_trend", (answer) =>
      value(answer, (rows) =>
        (rows as { trust: number }[]).map((row) => ({ ...row, trust: row.trust + 1e-12 * (0.5 - row.trust) })),
      ),
    ),
  },
  {
    name: "writes a T into the timestamps of interactions",
    choices: { "U-timestamp-zone": "utc-t", "U-stats-extra": "times with a T" },
    mutation: rewritesDatabases(
      "interactions",
      NEVER,
      () => "UPDATE interactions SET timestamp = replace(timestamp, ' ', 'T')",
    ),
  },
  {
    name: "keeps metadata in a column of interactions",
    choices: { "U-metadata-storage": "column" },
    mutation: hasMetadataColumn(true),
  },
  {
    name: "records only in databases with its column for metadata",
    choices: { "U-metadata-storage": "column" },
    mutation: hasMetadataColumn(false),
  },
  {
    name: "keeps the states of all users in one file",
    choices: { "U-state-file": "other" },
    line: "perdura-15",
    misses: [
      "state/json-file",
      "state/file-per-user",
      "state/counts-in-file",
      "state/levels-in-file",
      "state/trust-level-in-file",
      "state/user-id-in-file",
    ],
    mutation: hasOneStateFile(),
  },
  {
    name: "declares the table interactions in another notation",
    choices: {},
    mutation: rewritesDatabases("interactions", EXISTS("own_notes"), redeclaredInteractions),
  },
  {
    name: "returns nothing from record_interaction",
    choices: { "U-record-metric-table": "same-without-id", "U-lifecycle": "ids are not returned" },
    mutation: answers("record_interaction", (answer) => (answer.type === "ok" ? ok(answer) : answer)),
  },
  {
    name: "does not derive contributions from SQLite",
    choices: { "U-contributions": "empty" },
    mutation: answers("load_from_sqlite", (answer) =>
      value(answer, (library) => ({ ...(library as JsonObject), agent_contributions: {} })),
    ),
  },
  ...TOLERANT_ANSWERS,
  ...TOLERANT_LIBRARIES,
  ...TOLERANT_COLLECTORS,
  ...TOLERANT_STATES,
];
