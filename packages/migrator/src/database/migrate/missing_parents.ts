import { type MissingParent, missingParents } from "@perdura/internals/sqlite/missing_parents.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import { Stop } from "../../core/stop.ts";
import type { RepairedReference } from "../record/migration_record.ts";
import { isSameName } from "../layouts/level_tables.ts";
import { withParent } from "../sql/column_definition.ts";
import { changeTableText } from "../sql/schema_text.ts";
import { sqlNames } from "../sql/sql_text.ts";
import type { Step } from "../steps/step.ts";
import type { Found } from "./findings.ts";

/** The references to tables that do not exist, by what can be done about them. */
export interface BrokenReferences {
  /** Only the name of the table is wrong. */
  repairable: RepairedReference[];
  notes: string[];
}

/** A foreign key to a missing table; `to` has null for the primary key. */
interface Key {
  table: string;
  parent: string;
  pairs: { from: string; to: string | null }[];
}

/** The references of the specification, by table. */
const SPECIFIED: Readonly<Record<string, { column: string; parent: "patterns" | "interactions" }>> = {
  pattern_usage: { column: "pattern_id", parent: "patterns" },
  interaction_metadata: { column: "interaction_id", parent: "interactions" },
};

/**
 * Sorts the references to tables that do not exist.
 *
 * @throws Stop that names one in a table of version 16 that is not a reference of the specification with another name.
 */
export function examineReferences(database: Database, found: Found): BrokenReferences {
  const keys = keysToMissing(database).filter(
    (key) =>
      // The table exists after the migration.
      (found.first === null || key.parent.toLowerCase() !== "interactions") && !leavesWithMetadata(key, found),
  );
  const effects = effectsOn(found);
  const ours = keys.filter(({ table }) => effects.has(table.toLowerCase()));
  const sorted = ours.map((key) => ({ key, repaired: repairOf(database, key, found) }));
  const blocking = sorted.find(({ repaired }) => repaired === undefined)?.key;
  if (blocking !== undefined)
    throw new Stop("refused", `${sentenceOn(blocking, effects)} Nothing was changed. ${correctionOf(blocking)}`);
  return {
    repairable: sorted.flatMap(({ repaired }) => (repaired === undefined ? [] : [repaired])),
    notes: keys
      .filter(({ table }) => !effects.has(table.toLowerCase()))
      .map(
        ({ table, parent, pairs }) =>
          `your table ${table} (${pairs.map(({ from }) => from).join(", ")}) refers to a table ${parent}, which does not exist; it stays unchanged`,
      ),
  };
}

/** True for a reference of the column of the metadata, which is dropped. */
function leavesWithMetadata({ table, pairs }: Key, { first, second }: Found): boolean {
  return [first, second].some(
    (one) =>
      one !== null &&
      isSameName(one.table.name, table) &&
      pairs.every(({ from }) => one.table.names.metadata !== null && isSameName(from, one.table.names.metadata)),
  );
}

/** The reason why these references need a decision; null without any. */
export function refusalOf(repairable: readonly RepairedReference[], found: Found): string | null {
  if (repairable.length === 0) return null;
  const effects = effectsOn(found);
  const sentences = repairable.map((one) =>
    sentenceOn({ table: one.table, parent: one.parent, pairs: [{ from: one.column, to: null }] }, effects),
  );
  const names = repairable.map(({ specified, parent }) => `${parent} by ${specified}`);
  return `${[...new Set(sentences)].join(" ")} Replace ${[...new Set(names)].join(" and ")} in the definition with --broken-references repair; down restores the former definition.`;
}

/** Steps that replace the names of the missing tables in the texts of the tables, and nothing else. */
export function repairSteps(repairable: readonly RepairedReference[]): Step[] {
  return repairable.map((reference) => {
    const { table, column, parent, specified } = reference;
    return {
      title: `refer from ${table}.${column} to ${specified}, instead of the missing table ${parent}`,
      run: (database) => repair(database, reference),
    };
  });
}

function repair(database: Database, { table, column, parent, specified }: RepairedReference): void {
  changeTableText(
    database,
    table,
    (text) => withParent(text, parent, specified),
    ({ keys }) => ({
      keys: keys.map((key) =>
        isSameName(String(key["table"]), parent) && isSameName(String(key["from"]), column)
          ? { ...key, table: specified }
          : key,
      ),
    }),
  );
}

function keysToMissing(database: Database): Key[] {
  const columns = missingParents(database);
  return [...Map.groupBy(columns, ({ table, key }) => `${key} ${table}`).values()].map((pairs) => {
    const [{ table, parent }] = pairs as [MissingParent];
    return { table, parent, pairs: pairs.map(({ from, to }) => ({ from, to })) };
  });
}

/** Actions of version 16 that would fail, by the lower-case names of the tables that they write. */
function effectsOn({ first, second, patterns }: Found): ReadonlyMap<string, string> {
  const metrics = [first, second].flatMap((found) => (found === null ? [] : [found.table.name.toLowerCase()]));
  return new Map([
    ...metrics.map((name) => [name, "record interactions"] as const),
    ...(metrics.length === 0 ? [] : [["interaction_metadata", "record interactions with metadata"] as const]),
    ...(patterns === null
      ? []
      : ([
          ["patterns", "save patterns"],
          ["pattern_usage", "save patterns with their usage"],
        ] as const)),
  ]);
}

function repairOf(database: Database, { table, parent, pairs }: Key, found: Found): RepairedReference | undefined {
  const specified = SPECIFIED[table.toLowerCase()];
  const [pair, ...others] = pairs;
  if (specified === undefined || pair === undefined || others.length > 0) return undefined;
  if (specified.parent === "patterns" ? found.patterns === null : found.first === null) return undefined;
  const isSpecified = isSameName(pair.from, specified.column) && (pair.to === null || isSameName(pair.to, "id"));
  if (!isSpecified || (pair.to === null && specified.parent === "patterns" && !hasKeyOfId(database))) return undefined;
  return { table, column: pair.from, parent, specified: specified.parent };
}

/** True if the primary key of the patterns, to which a reference without columns refers, is their id. */
function hasKeyOfId(database: Database): boolean {
  const key = database
    .prepare("SELECT lower(name) FROM pragma_table_info('patterns', 'main') WHERE pk > 0")
    .pluck()
    .all();
  return key.join() === "id";
}

function sentenceOn({ table, parent, pairs }: Key, effects: ReadonlyMap<string, string>): string {
  const columns = pairs.map(({ from }) => from);
  return `The ${columns.length === 1 ? "column" : "columns"} ${columns.join(", ")} of the table ${table} ${columns.length === 1 ? "refers" : "refer"} to a table ${parent}, which does not exist, so version 16 could not ${effects.get(table.toLowerCase())}.`;
}

/** Statements for the operator that create the missing table with the values that the rows refer to. */
function correctionOf({ table, parent, pairs }: Key): string {
  const names = (pairs.length === 1 ? ["id"] : []).concat(pairs.map(({ from }) => from));
  const to = sqlNames(pairs.map((pair, index) => pair.to ?? (names[index] as string)));
  const from = sqlNames(pairs.map((pair) => pair.from));
  const isWhole = pairs.map((pair) => `${sqlName(pair.from)} IS NOT NULL`).join(" AND ");
  return `Restore that table, or create one with the values that are referred to: CREATE TABLE ${sqlName(parent)} (${to}, PRIMARY KEY (${to})); INSERT INTO ${sqlName(parent)} SELECT DISTINCT ${from} FROM ${sqlName(table)} WHERE ${isWhole}; Then run this command again.`;
}
