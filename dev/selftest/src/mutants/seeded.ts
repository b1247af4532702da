import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { JsonObject, JsonValue } from "../../../../packages/conformance/src/values/json_value.ts";
import { isTaggedNumber } from "../../../../packages/conformance/src/values/json_value.ts";
import { readIfThere, writes, writesEach } from "./json_mutations.ts";
import { asks, collectors, confuses, isRecord, records, runs } from "./metrics_mutations.ts";
import { alters, answers, isDatabase, ok, receives, row, value } from "./mutations.ts";
import type { Call, Mutant, Mutation } from "./mutations.ts";
import { loads, savesThen } from "./sqlite_mutations.ts";
import { lists, saves, touches } from "./state_mutations.ts";

type Statistics = "get_user_stats" | "get_global_stats";

/** Answers a question again as before, until a collector records: the one that was asked, or any of this process. */
function caches(op: Statistics, until: "it records" | "any collector records"): Mutation {
  const known = new Map<string, JsonValue>();
  const forget = (handle: string): void => {
    for (const key of known.keys())
      if (until === "any collector records" || key.startsWith(`${handle} `)) known.delete(key);
  };
  const keyOf = ({ handle, args }: Call): string => `${handle} ${String(args.user_id)}`;
  return {
    before(request) {
      if (request.op === "MetricsCollector") forget(request.keep ?? "");
      if (isRecord(request)) forget(request.handle ?? "");
      const answer = known.get(keyOf(request));
      return request.op === op && answer !== undefined ? ok(request, answer) : request;
    },
    answer(request, answer) {
      if (request.op === op && "value" in answer) known.set(keyOf(request), answer.value as JsonValue);
      return answer;
    },
  };
}

/** Counts the interactions of a user, and averages their times, where a condition holds; `?` is the id of the user. */
const asksWhere = (condition: string): Mutation =>
  asks("get_user_stats", `SELECT count(*) AS total_operations FROM interactions WHERE ${condition}`);

/** Runs SQL on the database after each record call. */
function recordsThen(sql: string): Mutation {
  const { sees, pathOf } = collectors();
  return {
    before(request) {
      sees(request);
      return request;
    },
    answer(request, answer) {
      if (isRecord(request) && answer.type === "ok") runs(sql)(pathOf(request));
      return answer;
    },
  };
}

/**
 * Answers record calls and saves as if they had succeeded, if another program writes to the database.
 * @param waitMs time that it waits for the other program first.
 */
function dropsIfLocked(waitMs = 0): Mutation {
  const { sees, pathOf } = collectors();
  return {
    before(request) {
      sees(request);
      const path = isRecord(request) ? pathOf(request) : String(request.args.db_path);
      const isWrite = isRecord(request) || request.op === "save_to_sqlite";
      return isWrite && isDatabase(path) && isLocked(path, waitMs) ? ok(request) : request;
    },
  };
}

/** Gives an empty answer if another program still writes to the database after three seconds. */
function answersNothingIfLocked(op: string, empty: JsonObject): Mutation {
  const { sees, pathOf } = collectors();
  return {
    before(request) {
      sees(request);
      if (request.op !== op) return request;
      const path = request.args.db_path === undefined ? pathOf(request) : String(request.args.db_path);
      return isDatabase(path) && isLocked(path, 3000) ? ok(request, empty) : request;
    },
  };
}

function isLocked(path: string, waitMs: number): boolean {
  const database = new Database(path, { timeout: waitMs });
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch (error) {
    if ((error as { code?: string }).code === "SQLITE_BUSY") return true;
    throw error;
  } finally {
    database.close();
  }
}

/** Each collector counts the ids from those that it found when it was opened. */
function countsIdsItself(): Mutation {
  const { sees, pathOf } = collectors();
  const next = new Map<string, number>();
  const newest = (path: string): number => {
    const database = new Database(path, { readonly: true });
    try {
      return Number(database.prepare("SELECT coalesce(max(id), 0) FROM interactions").pluck().get());
    } finally {
      database.close();
    }
  };
  return {
    before(request) {
      sees(request);
      return request;
    },
    answer(request, answer) {
      if (request.op === "MetricsCollector" && answer.type === "ok")
        next.set(request.keep ?? "", newest(String(request.args.db_path)) + 1);
      if (!isRecord(request) || answer.type !== "ok") return answer;
      const handle = request.handle ?? "";
      const id = next.get(handle) ?? 1;
      const recorded = newest(pathOf(request));
      next.set(handle, id + 1);
      if (id !== recorded)
        runs(`DELETE FROM interactions WHERE id = ${id}; UPDATE interactions SET id = ${id} WHERE id = ${recorded}`)(
          pathOf(request),
        );
      return answer;
    },
  };
}

const LARGEST_EXACT = 9_007_199_254_740_991;

/** Takes counts beyond the integers that a double represents as the largest of these. */
const withClippedCounts = (item: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(item).map(([key, field]) => [
      key,
      key.endsWith("_count") && isTaggedNumber(field) ? LARGEST_EXACT : field,
    ]),
  );
const clipsCounts: Mutation = receives("PatternLibrary", ({ patterns, ...args }) => ({
  ...args,
  patterns: (patterns as JsonObject[]).map(withClippedCounts),
}));

/** Answers the call after each refused one as if it had succeeded. */
function skipsAfterRefusals(isMeant: (request: Call) => boolean): Mutation {
  let skips = false;
  return {
    begins: () => (skips = false),
    before(request) {
      if (!skips || !isMeant(request)) return request;
      skips = false;
      return ok(request);
    },
    answer(request, answer) {
      if (isMeant(request) && answer.type === "error") skips = true;
      return answer;
    },
  };
}

/** Answers the failed calls of an operation as if they had succeeded. */
const hidesErrors = (op: string): Mutation =>
  answers(op, (answer, request) => (answer.type === "error" ? ok(request) : answer));

const LAST_OF_32_BITS = "2038-01-19T03:14:07";
const clipped = (time: JsonValue | undefined): JsonValue =>
  typeof time === "string" && time > LAST_OF_32_BITS ? LAST_OF_32_BITS : (time ?? null);
const clipsTimes = (pattern: JsonObject): JsonObject => ({
  ...pattern,
  discovered_at: clipped(pattern.discovered_at),
  last_used: clipped(pattern.last_used),
});

/** Does not write a library if the file has patterns of the same ids. */
function savesOnlyOtherIds(): Mutation {
  const idsOf = (patterns: JsonValue | undefined): string =>
    JSON.stringify((patterns as JsonObject[]).map(({ id }) => id));
  const kept = new Map<string | undefined, string>();
  return {
    before(request) {
      if (request.op === "PatternLibrary") kept.set(request.keep, idsOf(request.args.patterns));
      if (request.op !== "save_to_json") return request;
      const text = readIfThere(String(request.args.filepath));
      const isSame =
        text !== undefined && idsOf((JSON.parse(text) as JsonObject).patterns) === kept.get(request.handle);
      return isSame ? ok(request) : request;
    },
  };
}

/** Saves the first `created_at` of each user each time. */
function keepsCreation(): Mutation {
  const first = new Map<JsonValue, JsonValue>();
  return saves((state, userId) => {
    if (!first.has(userId)) first.set(userId, state.created_at ?? null);
    return { ...state, created_at: first.get(userId) ?? null };
  });
}

/** Does not save a state with fewer interactions than the last one. */
function savesOnlyUpwards(): Mutation {
  const counts = new Map<JsonValue | undefined, number>();
  return {
    begins: () => counts.clear(),
    before(request) {
      if (request.op !== "save_state") return request;
      const { user_id: userId, state } = request.args;
      const count = Number((state as JsonObject).interaction_count);
      if (count < (counts.get(userId) ?? 0)) return ok(request);
      counts.set(userId, count);
      return request;
    },
  };
}

/** Each manager loads what it once loaded or saved from its memory. */
function loadsFromMemory(): Mutation {
  const known = new Map<string, JsonValue>();
  const keyOf = ({ handle, args }: Call): string => `${handle} ${String(args.user_id)}`;
  return {
    before(request) {
      if (request.op === "save_state") known.set(keyOf(request), request.args.state ?? null);
      if (request.op === "delete_state") known.delete(keyOf(request));
      const state = known.get(keyOf(request));
      return request.op === "load_state" && state !== undefined ? ok(request, state) : request;
    },
    answer(request, answer) {
      if (request.op === "load_state" && "value" in answer && answer.value !== null)
        known.set(keyOf(request), answer.value as JsonValue);
      return answer;
    },
  };
}

/** Each manager lists the users that it found first, and those that it saved or deleted itself. */
function listsFromMemory(): Mutation {
  const known = new Map<string | undefined, Set<string>>();
  return {
    answer(request, answer) {
      const users = known.get(request.handle);
      if (request.op === "save_state") users?.add(String(request.args.user_id));
      if (request.op === "delete_state") users?.delete(String(request.args.user_id));
      if (request.op !== "list_users" || !("value" in answer)) return answer;
      if (users !== undefined) return value(answer, () => [...users]);
      known.set(request.handle, new Set(answer.value as string[]));
      return answer;
    },
  };
}

const stateFiles = (directory: string): { file: string; user: string }[] =>
  readdirSync(directory)
    .map((name) => join(directory, name))
    .filter((file) => file.endsWith(".json"))
    .map((file) => ({ file, user: String((JSON.parse(readFileSync(file, "utf8")) as JsonObject).user_id) }));

/** Deletes the states of all users whose ids differ only in case. */
const deletesAllCases: Mutation = touches("delete_state", (directory, { args }) => {
  const wanted = String(args.user_id).toLowerCase();
  for (const { file, user } of stateFiles(directory)) if (user.toLowerCase() === wanted) rmSync(file);
});

/** Lists only users whose files are at most thirty days old. */
function listsRecentFiles(): Mutation {
  const directories = new Map<string | undefined, string>();
  const isRecent = (file: string): boolean => Date.now() - statSync(file).mtimeMs < 30 * 86_400_000;
  return {
    answer(request, answer) {
      if (request.op === "StateManager") directories.set(request.keep, String(request.args.state_dir));
      const directory = directories.get(request.handle);
      if (request.op !== "list_users" || directory === undefined || !existsSync(directory)) return answer;
      const recent = new Set(stateFiles(directory).flatMap(({ file, user }) => (isRecent(file) ? [user] : [])));
      return value(answer, (users) => (users as string[]).filter((user) => recent.has(user)));
    },
  };
}

/** Faults that the author of an implementation in another language made on purpose, and that no case found. */
export const SEEDED: readonly Mutant[] = [
  // Values at the edges.
  row(
    "leaves response times of 0 out of the mean",
    "R-2.6/avg-response-time",
    15,
    "statistics/zero-response-times",
    asks(
      "get_user_stats",
      "SELECT coalesce(avg(nullif(response_time_ms, 0)), 0) AS avg_response_time_ms FROM interactions WHERE user_id = ?",
    ),
  ),
  row(
    "does not count interactions of a user without a response time",
    "R-2.6/total-operations",
    15,
    "statistics/without-response-times",
    asksWhere("user_id = ? AND response_time_ms IS NOT NULL"),
  ),
  row(
    "does not count interactions without a response time",
    "R-2.7/total-interactions",
    16,
    "statistics/without-response-times",
    asks("get_global_stats", "SELECT count(response_time_ms) AS total_interactions FROM interactions"),
  ),
  row(
    "does not count interactions of a user without a timestamp",
    "R-2.6/total-operations",
    15,
    "statistics/without-timestamps",
    asksWhere("user_id = ? AND timestamp IS NOT NULL"),
  ),
  row(
    "does not count interactions without a timestamp",
    "R-2.7/total-interactions",
    16,
    "statistics/without-timestamps",
    asks("get_global_stats", "SELECT count(timestamp) AS total_interactions FROM interactions"),
  ),
  row(
    "takes the largest id for the number of interactions",
    "R-2.7/total-interactions",
    15,
    "statistics/ids-with-gaps",
    asks("get_global_stats", "SELECT max(id) AS total_interactions FROM interactions"),
  ),
  row(
    "rounds response times to three digits",
    "R-2.5/response-time.real",
    16,
    "metrics/response-times-exact",
    records((args) => ({ ...args, response_time_ms: Number(Number(args.response_time_ms).toFixed(3)) })),
  ),
  row(
    "records response times as numbers of 32 bits",
    "R-2.5/response-time.real",
    15,
    "metrics/response-times-exact",
    records((args) => ({ ...args, response_time_ms: Math.fround(Number(args.response_time_ms)) })),
  ),
  row(
    "clips counts to 2^53 - 1 in JSON",
    "R-2.1/counts.integer",
    16,
    "patterns-json/counts-beyond-doubles",
    clipsCounts,
  ),
  row(
    "clips counts to 2^53 - 1 in SQLite",
    "R-2.1/counts.integer",
    15,
    "patterns-sqlite/counts-beyond-doubles",
    clipsCounts,
  ),
  row(
    "writes times after 2038 as the last second of 32 bits",
    "R-2.1/timestamp.json",
    15,
    "cross-format/timestamps-of-all-years",
    writesEach((pattern) => Object.assign(pattern, clipsTimes(pattern))),
  ),
  row(
    "loads times after 2038 as the last second of 32 bits",
    "R-4.1/cross-format",
    16,
    "cross-format/timestamps-of-all-years",
    loads(clipsTimes),
  ),
  row(
    "saves trust levels with 15 digits",
    "R-2.8/trust-level",
    15,
    "state/exact-trust-levels",
    saves((state) => ({ ...state, trust_level: Number(Number(state.trust_level).toPrecision(15)) })),
  ),
  row(
    "clips counts of states to 2^53 - 1",
    "R-2.8/counts",
    15,
    "state/counts-beyond-doubles",
    saves(withClippedCounts),
  ),

  // Ids.
  row(
    "takes a user id for a pattern of GLOB",
    "R-2.6/own-interactions",
    15,
    "metrics/user-id-signs",
    asksWhere("user_id GLOB ?"),
  ),
  row(
    "takes a user id for a pattern of LIKE",
    "R-2.6/own-interactions",
    16,
    "metrics/user-id-signs",
    asksWhere("user_id LIKE ?"),
  ),
  row(
    "compares user ids with NOCASE",
    "R-2.5/user-id.text",
    15,
    "metrics/user-id-signs",
    asksWhere("user_id = ? COLLATE NOCASE"),
  ),
  row(
    "compares user ids without blanks at their ends",
    "R-2.5/user-id.text",
    16,
    "metrics/user-id-signs",
    asksWhere("trim(user_id) = trim(?)"),
  ),
  row(
    "drops apostrophes of user ids",
    "R-2.5/user-id.text",
    15,
    "metrics/user-id-signs",
    confuses((user) => user.replaceAll("'", "") || user),
  ),
  row(
    "lists ids up to their first dot",
    "R-4.4/list-users",
    15,
    "state/ids-with-dots-and-capitals",
    lists((users) => [...new Set(users.map((user) => user.split(".")[0] as string))]),
  ),
  row("deletes states without regard to case", "R-4.4/delete", 15, "state/ids-with-dots-and-capitals", deletesAllCases),

  // Sizes.
  row(
    "keeps the newest ten thousand interactions when it records one",
    "R-4.2/one-row",
    15,
    "statistics/hundred-thousand",
    recordsThen("DELETE FROM interactions WHERE id <= (SELECT max(id) FROM interactions) - 10000"),
  ),
  row(
    "reads the last five thousand interactions of a user",
    "R-2.6/avg-response-time",
    16,
    "statistics/hundred-thousand",
    asks(
      "get_user_stats",
      "SELECT count(*) AS total_operations, avg(response_time_ms) AS avg_response_time_ms FROM (SELECT response_time_ms FROM interactions WHERE user_id = ? ORDER BY id DESC LIMIT 5000)",
    ),
  ),
  row(
    "counts at most 65,536 interactions",
    "R-8/counts",
    15,
    "statistics/hundred-thousand",
    asks("get_global_stats", "SELECT min(count(*), 65536) AS total_interactions FROM interactions"),
  ),
  row(
    "lists at most 32,766 users",
    "R-8/counts",
    16,
    "statistics/hundred-thousand",
    answers("get_all_users", (answer) => value(answer, (users) => (users as string[]).slice(0, 32_766))),
  ),
  row(
    "writes at most 32,766 patterns to a database",
    "R-8/counts",
    15,
    "cross-format/beyond-parameters",
    savesThen("DELETE FROM patterns WHERE rowid > 32766"),
  ),
  row(
    "writes at most 32,766 patterns to a file",
    "R-8/counts",
    16,
    "cross-format/beyond-parameters",
    writes((library) => {
      library.patterns.splice(32_766);
      library.metadata.pattern_count = library.patterns.length;
    }),
  ),

  // Answers from before.
  row(
    "caches the statistics of a user until the collector records",
    "R-2.6/total-operations",
    15,
    "statistics/asked-between-writes",
    caches("get_user_stats", "it records"),
  ),
  row(
    "caches the statistics of a user until a collector of the process records",
    "R-2.6/avg-response-time",
    16,
    "statistics/asked-between-writes",
    caches("get_user_stats", "any collector records"),
  ),
  row(
    "caches the global statistics until a collector of the process records",
    "R-2.7/total-interactions",
    15,
    "statistics/asked-between-writes",
    caches("get_global_stats", "any collector records"),
  ),
  row(
    "counts ids in the memory of each collector",
    "R-4.2/one-row",
    16,
    "statistics/asked-between-writes",
    countsIdsItself(),
  ),
  row("loads states from the memory of a manager", "R-4.4/save-load", 15, "state/two-managers", loadsFromMemory()),
  row("lists users from the memory of a manager", "R-4.4/list-users", 15, "state/two-managers", listsFromMemory()),
  row("keeps the first created_at of a user", "R-2.8/timestamps", 15, "state/resaved-backwards", keepsCreation()),
  row("does not save lower counts", "R-4.4/save-state", 15, "state/resaved-backwards", savesOnlyUpwards()),
  row("does not list files older than thirty days", "R-4.4/list-users", 15, "state/old-files", listsRecentFiles()),

  // Silence.
  row(
    "drops a record call while the database is locked",
    "R-4.2/one-row",
    16,
    "metrics/recorded-or-refused",
    dropsIfLocked(),
  ),
  row(
    "drops a save while the database is locked",
    "R-4.1/save-to-sqlite",
    15,
    "patterns-sqlite/saved-or-refused",
    dropsIfLocked(),
  ),
  row(
    "drops a record call after three seconds of waiting for the lock",
    "R-4.2/one-row",
    16,
    "metrics/long-lock",
    dropsIfLocked(3000),
  ),
  row(
    "drops a save after three seconds of waiting for the lock",
    "R-4.1/save-to-sqlite",
    15,
    "patterns-sqlite/long-lock",
    dropsIfLocked(3000),
  ),
  row(
    "counts no interactions while the database is locked",
    "R-2.6/total-operations",
    16,
    "statistics/long-lock",
    answersNothingIfLocked("get_user_stats", { total_operations: 0, success_rate: 0, avg_response_time_ms: 0 }),
  ),
  row(
    "loads an empty library while the database is locked",
    "R-4.1/load-from-sqlite",
    15,
    "patterns-sqlite/long-lock-load",
    answersNothingIfLocked("load_from_sqlite", { patterns: [], agent_contributions: {} }),
  ),
  row(
    "hides that a library file could not be written",
    "R-4.1/save-to-json",
    16,
    "patterns-json/no-directory",
    hidesErrors("save_to_json"),
  ),
  row(
    "hides that a database could not be created",
    "R-4.1/save-to-sqlite",
    15,
    "patterns-sqlite/no-directory",
    hidesErrors("save_to_sqlite"),
  ),
  row(
    "hides that a state could not be written",
    "R-4.4/save-state",
    15,
    "state/no-directory",
    hidesErrors("save_state"),
  ),
  row(
    "drops the record call after a refused one",
    "R-4.2/one-row",
    16,
    "metrics/after-refusals",
    skipsAfterRefusals(isRecord),
  ),
  row(
    "drops the save after a refused one",
    "R-4.4/save-state",
    15,
    "state/after-refusals",
    skipsAfterRefusals(({ op }) => op === "save_state"),
  ),

  // Faults against rulings.
  row(
    "stores metadata at the row before",
    "U-metadata-storage",
    16,
    "metrics/metadata-at-its-row",
    alters("UPDATE interaction_metadata SET interaction_id = interaction_id - 1"),
  ),
  row(
    "does not save a library whose ids the file has",
    "U-save-existing",
    15,
    "patterns-json/save-same-ids",
    savesOnlyOtherIds(),
  ),
  row(
    "deletes usage rows older than ninety days with each save",
    "U-usage-table",
    16,
    "patterns-sqlite/old-usage-rows",
    savesThen("DELETE FROM pattern_usage WHERE used_at < datetime('now', '-90 days')"),
  ),
];
