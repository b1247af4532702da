import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { Connection } from "../connection/connection.ts";
import { copiesLeft, eraseRowVersions, lastTransaction, rewriteOf } from "../layout/erase_tables.ts";
import { asPattern, type Names, namesOfShard } from "../layout/names.ts";
import { tablesOfSums } from "../layout/sums_tables.ts";

/** Tables with ids of users or their metadata. */
export const tablesOfUsers = ({
  interactions,
  interactionMetadata,
  userRollup,
  userDays,
  staleUsers,
}: Names): string[] => [interactions, interactionMetadata, userRollup, userDays, staleUsers];

/**
 * Statements that leave no row version of a deleted row in the files of distributed tables. The sums of shards are not
 * known to Citus; the next question makes them again.
 */
export function erasureOfShards({ interactions, interactionMetadata, schemaName }: Names): string[] {
  const truncate = sqlText(`TRUNCATE ${asPattern(tablesOfSums(namesOfShard(schemaName)).join(", "))}`);
  const command = `DO $do$ BEGIN EXECUTE format(${truncate.replaceAll("%", "%%")}, substring(%1$L FROM '[0-9]+$')); END $do$`;
  return [
    ...[interactions, interactionMetadata].map(rewriteOf),
    `SELECT run_command_on_shards(${sqlText(interactions)}, ${sqlText(command)})`,
  ];
}

/**
 * Erases users, whose ids the sums may still have.
 *
 * @throws BusyError if copies are left.
 */
export async function eraseUsers(connection: Connection, names: Names, userId: string | undefined): Promise<void> {
  const last = await lastTransaction(connection);
  const ofUser = userId === undefined ? "" : " AND user_id = $2::text";
  const stale = await connection.query(
    `SELECT 1 FROM ${names.staleUsers} WHERE marked_by < $1::bigint${ofUser} LIMIT 1`,
    userId === undefined ? [last] : [last, userId],
  );
  if (stale.length > 0)
    throw copiesLeft(connection.place, "interactions", "the sums of the statistics could not be updated");
  await eraseRowVersions(connection, tablesOfUsers(names), "interactions");
}
