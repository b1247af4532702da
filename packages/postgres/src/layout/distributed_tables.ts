import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Names } from "./names.ts";

/**
 * Distributes the tables of metrics over the workers of a cluster of Citus. All rows of a user are in the shards of one
 * group, on one worker. The keys of repeated calls stay on the coordinator, which all programs are connected to.
 */
export function distributedTables(names: Names): string[] {
  const first = `SELECT create_distributed_table(${sqlText(names.interactions)}, 'user_id', colocate_with => 'none')`;
  const others = [names.interactionMetadata, names.userRollup, names.userDays, names.staleUsers, names.shards].map(
    (table) =>
      `SELECT create_distributed_table(${sqlText(table)}, 'user_id', colocate_with => ${sqlText(names.interactions)})`,
  );
  return [shardsTable(names), first, ...others];
}

/** Copies the tables of patterns to every worker, so that queries can join them with rows of metrics. */
export function referenceTables(names: Names): string[] {
  return [names.patterns, names.patternUsage].map((table) => `SELECT create_reference_table(${sqlText(table)})`);
}

/**
 * The tables of sums outside the shards stay empty: transactions of different workers have numbers that cannot be
 * compared, so each shard has sums of its own.
 */
export function noSums(names: Names): string {
  return `CREATE OR REPLACE FUNCTION ${names.sumsValid}() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT false'`;
}

/** One row in each shard, so that a statement about these rows reaches every shard once. */
function shardsTable(names: Names): string {
  return `CREATE TABLE ${names.shards} (user_id text COLLATE "C" PRIMARY KEY)`;
}
