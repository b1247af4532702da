import type { PostgresOptions } from "../src/index.ts";

/** True in the run on a cluster of Citus, in which all tables are distributed. */
export const ON_CITUS: boolean = process.env["TEST_LAYOUT"] === "citus";

/** Layout of tables for tests that need only one. */
export const LAYOUT: PostgresOptions = ON_CITUS ? { distributed: "citus" } : {};

/** Every layout of the run. */
export const LAYOUTS: readonly [name: string, options: PostgresOptions][] = ON_CITUS
  ? [["shards", LAYOUT]]
  : [
      ["one table", {}],
      ["three partitions", { partitions: 3 }],
    ];

/** SQL for the interactions with their metadata. */
export const WITH_METADATA: string = `interactions AS i LEFT JOIN interaction_metadata AS m
  ON m.interaction_id = i.id${ON_CITUS ? " AND m.user_id = i.user_id" : ""}`;

/** SQL for the number of rows that the sums contain; right if no user is stale. */
export const FOLDED = "SELECT (operations - counted)::int AS operations FROM perdura_global_sums()";

/** SQL for the users in the tables of sums, in each shard if the tables are distributed. */
export const USERS_IN_SUMS: string = ON_CITUS
  ? `SELECT DISTINCT (regexp_matches(result, '<user_id>(.*?)</user_id>', 'g'))[1] AS user_id
      FROM run_command_on_shards('interactions', $$SELECT query_to_xml('${["user_rollup", "user_days", "stale_users"]
        .map((table) => `SELECT user_id FROM ' || replace('%1$s', '.interactions_', '.perdura_${table}_') || '`)
        .join(" UNION ")}', true, false, '')$$)`
  : `SELECT user_id FROM perdura_user_rollup UNION SELECT user_id FROM perdura_user_days
      UNION SELECT user_id FROM perdura_stale_users`;

/** Number of tables of sums of one kind: test databases have eight shards. */
export const TABLES_OF_SUMS: number = ON_CITUS ? 8 : 1;

/** SQL for the number of rows in tables of sums, in all shards together if the tables are distributed. */
export function countInSums(from: string): string {
  if (!ON_CITUS) return `SELECT count(*)::int AS count ${from}`;
  const [place, shard] = ["^(.*)interactions_", "[0-9]+$"].map((part) => `substring('%1$s' FROM '${part}')`);
  const statement = `SELECT count(*) ${from.replaceAll("%", "%%")}`
    .replaceAll("'", "''")
    .replaceAll(/perdura_\w+/g, (table) => `' || ${place} || '${table}_' || ${shard} || '`);
  return `SELECT sum(result::int)::int AS count FROM run_command_on_shards('interactions',
    $$SELECT (xpath('//count/text()', query_to_xml('${statement}', true, false, '')))[1]::text$$)`;
}

/** A statement of another program about the tables of sums, in each shard if the tables are distributed. */
export const inSums = (sql: string): string => (ON_CITUS ? inShards(sql) : sql);

/** The same statement in each shard, which has tables of sums of its own. */
export function inShards(sql: string): string {
  const statement = sql
    .replaceAll("'", "''")
    .replaceAll(/perdura_\w+/g, (table) => `' || place || '${table}_' || shard || '`);
  return `SELECT run_command_on_shards('interactions', $$DO $do$
    DECLARE
      shard text := substring('%1$s' FROM '[0-9]+$');
      place text := substring('%1$s' FROM '^(.*)interactions_');
    BEGIN
      EXECUTE '${statement}';
    END $do$ $$)`;
}
