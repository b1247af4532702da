import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { isObject } from "../values/json_value.ts";
import {
  both,
  escaped,
  EXISTS,
  FURTHER,
  NEVER,
  respells,
  respelt,
  rewritesDatabases,
  sorted,
  withoutStatistics,
  writesAhead,
} from "./habits.ts";
import { answers, ok, receives, value } from "./mutants/mutations.ts";
import type { Mutation } from "./mutants/mutations.ts";

/** A different but legal implementation: a line of perdura with another habit. It must pass every must. */
export interface Tolerance {
  /** Completes the sentence "an implementation that …". */
  name: string;
  /** Open questions that it answers in its own way. */
  choices: Record<string, string>;
  mutation: Mutation;
}

/** Every tolerated habit. */
export const TOLERANCES: readonly Tolerance[] = [
  {
    name: "sorts the keys of its JSON backwards, in one line",
    choices: {},
    mutation: respells((document) => JSON.stringify(sorted(document))),
  },
  {
    name: "escapes everything but ASCII and ends lines with CRLF",
    choices: {},
    mutation: respells((document) => escaped(JSON.stringify(document, null, "\t")).replaceAll("\n", "\r\n")),
  },
  {
    name: "leaves out optional fields without a value",
    choices: { "U-optional": "absent keys are not written" },
    mutation: respells((document) =>
      JSON.stringify(document, (_key, member: JsonValue) =>
        isObject(member) && "agent_id" in member
          ? Object.fromEntries(Object.entries(member).filter(([, field]) => field !== null))
          : member,
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
    name: "replaces what a database holds",
    choices: { "U-save-existing": "replace" },
    mutation: receives("save_to_sqlite", (args) => ({ mode: "replace", ...args })),
  },
  {
    name: "leaves out levels that never occurred",
    choices: { "U-level-counts": "absent", "U-unknown-user": "levels are absent" },
    mutation: withoutStatistics((key, member) => /^level_\d_count$/.test(key) && member === 0),
  },
  {
    name: "gives no statistics beyond the required ones",
    choices: { "U-stats-extra": "none", "U-current-level": "absent", "U-record-metric-level": "current, unseen" },
    mutation: withoutStatistics((key) => ["first_use", "last_use", "current_level"].includes(key)),
  },
  {
    name: "gives users as a set, in no order",
    choices: { "U-users-order": "other" },
    mutation: answers("get_all_users", (answer) => value(answer, (users) => (users as JsonValue[]).toReversed())),
  },
  {
    name: "writes a T into the timestamps of interactions",
    choices: { "U-timestamp-zone": "utc-t", "U-stats-extra": "timestamps with a T" },
    mutation: rewritesDatabases(
      "interactions",
      NEVER,
      () => "UPDATE interactions SET timestamp = replace(timestamp, ' ', 'T')",
    ),
  },
  {
    name: "keeps metadata in a column of interactions",
    choices: { "U-metadata-storage": "column" },
    mutation: rewritesDatabases(
      "interactions",
      "SELECT 1 FROM pragma_table_info('interactions') WHERE name = 'metadata'",
      () => "ALTER TABLE interactions ADD COLUMN metadata TEXT",
    ),
  },
  {
    name: "spells the table interactions in another way",
    choices: {},
    mutation: rewritesDatabases("interactions", EXISTS("own_notes"), respelt),
  },
  {
    name: "gives nothing back from record_interaction",
    choices: { "U-record-metric-table": "same-without-id", "U-lifecycle": "ids are not told" },
    mutation: answers("record_interaction", (answer) => (answer.type === "ok" ? ok(answer) : answer)),
  },
  {
    name: "does not derive contributions from SQLite",
    choices: { "U-contributions": "empty" },
    mutation: answers("load_from_sqlite", (answer) =>
      value(answer, (library) => ({ ...(library as JsonObject), agent_contributions: {} })),
    ),
  },
];
