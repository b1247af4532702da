import { hasTable } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { PATTERN_FIELDS } from "@perdura/internals/validity/pattern_fields.js";
import { schemaEntries } from "../sql/catalog.ts";
import { mentions, tokensOf } from "../sql/sql_text.ts";
import { triggersIn } from "../sql/triggers.ts";
import { isOurs } from "../steps/fired_triggers.ts";

/**
 * Columns that version 16 fills with values of its caller, by table. All levels, and both values of success, are tried,
 * so only a reference of them, to rows that may be missing, can refuse some.
 */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  interactions: ["user_id", "response_time_ms", "timestamp"],
  patterns: [...PATTERN_FIELDS, "updated_at"],
  pattern_usage: ["pattern_id", "agent_id", "used_at"],
};

/** Constraints and triggers of the user that may refuse some values: a trial of one row of each kind cannot tell. */
export function notesOnRules(replica: Database): string[] {
  const rules = Object.keys(GIVEN).flatMap((table) => (hasTable(replica, table) ? rulesOf(replica, table) : []));
  return rules.length === 0
    ? []
    : [
        `one row of each kind was tried, but version 16 can only write values that your own rules accept: ${rules.join(", ")}`,
      ];
}

function rulesOf(replica: Database, table: string): string[] {
  const entries = schemaEntries(replica);
  const sql = entries.find(({ type, name }) => type === "table" && name.toLowerCase() === table)?.sql ?? "";
  const given = GIVEN[table] as readonly string[];
  const checks = checksIn(sql).filter((text) => mentions(text, given));
  const triggers = triggersIn(entries).filter(
    (trigger) =>
      trigger.on.table === table &&
      trigger.on.kind !== "delete" &&
      !isOurs(trigger.name.toLowerCase()) &&
      mentions(trigger.sql, ["raise"]),
  );
  return [
    ...checks.map((text) => `${text} on ${table}`),
    ...parentsOf(replica, table, [...given, "level", "success"]).map(
      ({ from, parent }) => `${table}.${from} REFERENCES ${parent}`,
    ),
    ...triggers.map(({ name }) => `the trigger ${name} on ${table}`),
  ];
}

/** The CHECK constraints in the text of a table, each on one line. */
function checksIn(sql: string): string[] {
  const found: string[] = [];
  let check: string | undefined;
  let depth = 0;
  for (const { kind, text } of tokensOf(sql)) {
    if (check === undefined && kind === "word" && /^check$/i.test(text)) [check, depth] = ["", 0];
    if (check === undefined || kind === "comment") continue;
    check += text;
    if (text === "(") depth += 1;
    if (text === ")" && (depth -= 1) === 0) {
      found.push(check.replaceAll(/\s+/g, " "));
      check = undefined;
    }
  }
  return found;
}

/** References to tables of the user. */
function parentsOf(replica: Database, table: string, given: readonly string[]): { from: string; parent: string }[] {
  const keys = replica
    .prepare(`SELECT "from", "table" AS parent FROM pragma_foreign_key_list(?, 'main') ORDER BY id DESC, seq`)
    .all(table) as { from: string; parent: string }[];
  return keys.filter(
    ({ from, parent }) => given.includes(from.toLowerCase()) && GIVEN[parent.toLowerCase()] === undefined,
  );
}
