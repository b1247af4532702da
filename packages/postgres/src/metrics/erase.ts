import type { Connection, Session } from "../connection/connection.ts";
import { copiesLeft, eraseRowVersions, lastTransaction, rewriteOf } from "../layout/erase_tables.ts";
import { dropSums, eraseFromShards } from "../layout/erase_shards.ts";
import { areThereKeys } from "../layout/declare_keys.ts";
import { keyTablesOfUsers, sumsOfKeys } from "../layout/key_tables.ts";
import { asPattern, type Names, namesOfShard } from "../layout/names.ts";
import { atEveryShard } from "../layout/shards.ts";
import { tablesOfSums } from "../layout/sums_tables.ts";

/** Tables with ids of users or their metadata. */
export async function tablesOfUsers(session: Session, names: Names): Promise<string[]> {
  const { interactions, interactionMetadata, userRollup, userDays, staleUsers } = names;
  const ofKeys = (await areThereKeys(session, names)) ? keyTablesOfUsers(names) : [];
  return [interactions, interactionMetadata, userRollup, userDays, staleUsers, ...ofKeys];
}

/**
 * Statements that leave no row version of a deleted row in the files of distributed tables. The sums of shards are not
 * known to Citus; the next question makes them again.
 */
export async function erasureOfShards(session: Session, names: Names): Promise<string[]> {
  const ofShard = namesOfShard(names.schemaName);
  const ofKeys = (await areThereKeys(session, names)) ? sumsOfKeys(ofShard) : [];
  const sums = asPattern([...tablesOfSums(ofShard), ...ofKeys].join(", "));
  const rewritten = [names.interactions, names.interactionMetadata].map(rewriteOf);
  return [...rewritten, `SELECT ${atEveryShard(names, `TRUNCATE ${sums}`)}`];
}

/** Erases deleted interactions from the shards and their sums; the next fold makes the sums again. */
export async function eraseInteractionsFromShards(connection: Connection, names: Names): Promise<void> {
  await dropSums(connection, names);
  await eraseFromShards(connection, [names.interactions, names.interactionMetadata], "interactions");
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
  await eraseRowVersions(connection, await tablesOfUsers(connection, names), "interactions");
}
