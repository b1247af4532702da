import { type Names, quoteText } from "./names.ts";

/**
 * Distributes the tables of metrics over the workers of a cluster of Citus. All rows of a user are in the shards of one
 * group, on one worker. The keys of repeated calls stay on the coordinator, which all programs are connected to.
 */
export function distributedTables(names: Names): string[] {
  const first = `SELECT create_distributed_table(${quoteText(names.interactions)}, 'user_id', colocate_with => 'none')`;
  const others = [names.interactionMetadata, names.userRollup, names.userDays, names.staleUsers].map(
    (table) =>
      `SELECT create_distributed_table(${quoteText(table)}, 'user_id', colocate_with => ${quoteText(names.interactions)})`,
  );
  return [first, ...others];
}

/** Copies the tables of patterns to every worker, so that queries can join them with rows of metrics. */
export function referenceTables(names: Names): string[] {
  return [names.patterns, names.patternUsage].map((table) => `SELECT create_reference_table(${quoteText(table)})`);
}

/**
 * There are no sums: transactions of different workers have numbers that cannot be compared. Each question counts the
 * rows, so that it is right after other programs changed them, too.
 */
export function noSums(names: Names): string {
  return `CREATE OR REPLACE FUNCTION ${names.sumsValid}() RETURNS boolean LANGUAGE sql STABLE AS 'SELECT false'`;
}
