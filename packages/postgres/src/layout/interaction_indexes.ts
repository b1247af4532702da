import type { Session } from "../connection/connection.ts";
import { codeOf, isBusy } from "../connection/failures.ts";
import type { Names } from "./names.ts";

/** Columns of the indexes for rows that the sums do not contain yet: of a user, and of all users. */
const RECORDED = {
  perdura_interactions_user_recorded: "user_id, recorded_by",
  perdura_interactions_recorded: "recorded_by",
} as const;

/** Columns of all indexes of `interactions`, with those that the specification requires (section 2.3). */
const INDEXES = { ...RECORDED, idx_interactions_user: "user_id", idx_interactions_timestamp: "timestamp" } as const;

type Index = keyof typeof INDEXES;

const NAMES = Object.keys(INDEXES) as Index[];

const createIndex = (names: Names, index: Index): string =>
  `CREATE INDEX IF NOT EXISTS ${index} ON ${names.interactions} (${INDEXES[index]})`;

/** Statements that create the indexes. */
export function interactionIndexes(names: Names): string[] {
  return NAMES.map((index) => createIndex(names, index));
}

/** Statements that create the indexes that contain `recorded_by`. */
export function recordedIndexes(names: Names): string[] {
  return (Object.keys(RECORDED) as Index[]).map((index) => createIndex(names, index));
}

/**
 * Drops the indexes within a transaction. Changes nothing if the table has rows, if another program uses it, or if the
 * role does not own it.
 */
export async function dropIndexesOfEmptyTable(session: Session, names: Names): Promise<void> {
  await session.query("SAVEPOINT indexes");
  try {
    await session.query(`LOCK TABLE ${names.interactions} IN ACCESS EXCLUSIVE MODE NOWAIT`);
    const rows = await session.query(`SELECT 1 FROM ${names.interactions} LIMIT 1`);
    // One statement for each, as Citus requires.
    if (rows.length === 0)
      for (const index of NAMES) await session.query(`DROP INDEX IF EXISTS ${names.schema}.${index}`);
  } catch (error) {
    if (!isBusy(error) && codeOf(error) !== "42501") throw error;
    await session.query("ROLLBACK TO SAVEPOINT indexes");
  }
}

/** Creates the indexes that are missing, if the role owns the table. */
export async function createMissingIndexes(session: Session, names: Names): Promise<void> {
  // Not left to the statement, which would wait for programs that record before it looks.
  const missing = await session.query<{ name: Index }>(
    `SELECT name FROM unnest($1::text[]) AS name, pg_class AS of
     WHERE of.oid = $2::regclass AND pg_has_role(of.relowner, 'USAGE') AND to_regclass($3 || '.' || name) IS NULL`,
    [NAMES, names.interactions, names.schema],
  );
  for (const { name } of missing) await session.query(createIndex(names, name));
}
