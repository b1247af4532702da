import type { Database, Statement } from "../../sqlite/open_database.ts";
import { LOWEST_ID } from "../schema.ts";
import { addRows, type KeyGroup } from "./add_rows.ts";
import { declaredKeys } from "./declared_keys.ts";
import { removeLeftOver, UNUSED_ID } from "./left_over_sums.ts";
import { removeUser } from "./sums_tables.ts";

/** Updates the sums by the values of declared keys. The caller holds a write transaction around each call. */
export interface KeyFolding {
  /** True if the sums of a key have rows. */
  hasSums(): boolean;
  /** Removes what the sums of declared keys have of the user that is computed again, before the sums of its days go. */
  removeStaleUser(): void;
  /** Adds rows of that user up to an id. */
  addRowsOfStaleUser(end: bigint): void;
  /** Removes sums that are left over, of about so many rows; false if no such sums are left. */
  removeLeftOver(rows: number): boolean;
  /** Does a part of the pending work, of about so many rows; false if nothing is pending. No user is stale. */
  foldPiece(rows: number): boolean;
}

interface SummedKey {
  key_id: number;
  key: string;
}

/**
 * @param staleUser SQL for the user that is computed again.
 * @param staleRows SQL that is true for the next rows of this user.
 */
export function prepareKeyFolding(database: Database, staleUser: string, staleRows: string): KeyFolding {
  const keys = database.prepare(
    `SELECT key_id, key, numbers, CAST(watermark AS TEXT) AS at FROM perdura_summed_keys AS known
     WHERE is_summed ORDER BY known.watermark, key_id`,
  ) as Statement<[], SummedKey & { numbers: string; at: string }>;
  const groups = (): KeyGroup[] => {
    const found = Map.groupBy(keys.all(), ({ at, numbers }) => `${at} ${numbers}`);
    return [...found.values()].map((same) => ({
      ids: same.map(({ key_id }) => key_id),
      named: { keys: same.map(({ key }) => key), numbers: JSON.parse(same[0]?.numbers ?? "[]") as string[] },
    }));
  };
  const hasSums = database
    .prepare(
      // The watermark of sums whose rows were all deleted is the lowest id, until their users are computed again.
      `SELECT EXISTS (SELECT 1 FROM perdura_summed_keys WHERE is_summed AND watermark > ${LOWEST_ID})
         OR EXISTS (SELECT 1 FROM perdura_user_key_days)`,
    )
    .pluck();
  return {
    hasSums: () => hasSums.get() === 1,
    removeStaleUser: () => {
      for (const { ids } of groups()) for (const id of ids) removeUser(database, id, staleUser);
    },
    addRowsOfStaleUser: (end) => {
      for (const group of groups())
        addRows(database, group, `${staleRows} AND id <= @end AND id <= ${watermarkOf(group)}`, { end });
    },
    removeLeftOver: (rows) => removeLeftOver(database, rows),
    foldPiece: (rows) => {
      matchDeclaredKeys(database);
      if (removeLeftOver(database, rows)) return true;
      const [group] = groups();
      return group !== undefined && foldGroup(database, group, rows);
    },
  };
}

const watermarkOf = ({ ids }: KeyGroup): string =>
  `(SELECT min(watermark) FROM perdura_summed_keys WHERE key_id IN (${ids.join(", ")}))`;

/** Adds the next rows above the watermark of the keys; false if all are in their sums. */
function foldGroup(database: Database, group: KeyGroup, rows: number): boolean {
  const limit = "(SELECT watermark FROM perdura_rollup)";
  const other = `(SELECT coalesce(min(watermark), ${HIGHEST_ID}) FROM perdura_summed_keys WHERE is_summed AND watermark > ${watermarkOf(group)})`;
  const next = `id > ${watermarkOf(group)} AND id <= ${limit} AND id <= ${other}`;
  const end = database
    .prepare(`SELECT max(id) FROM (SELECT id FROM interactions WHERE ${next} ORDER BY id LIMIT @rows)`)
    .pluck()
    // Ids may be any 64-bit integer.
    .safeIntegers()
    .get({ rows }) as bigint | null;
  if (end !== null) addRows(database, group, `id > ${watermarkOf(group)} AND id <= @end`, { end });
  const raise = database.prepare(
    `UPDATE perdura_summed_keys SET watermark = coalesce(@end, min(${limit}, ${other})) WHERE key_id IN (${group.ids.join(", ")}) AND watermark < coalesce(@end, min(${limit}, ${other}))`,
  );
  return raise.run({ end }).changes > 0;
}

const HIGHEST_ID = "9223372036854775807";

/** Gives each declared key its row, and takes it from others and from those whose sums have other numbers. */
function matchDeclaredKeys(database: Database): void {
  const declared = declaredKeys(database);
  const numbers = JSON.stringify(declared.numbers);
  const known = database.prepare("SELECT key, numbers FROM perdura_summed_keys").all() as {
    key: string;
    numbers: string;
  }[];
  const isValid = (key: string, itsNumbers: string): boolean => declared.keys.includes(key) && itsNumbers === numbers;
  for (const row of known)
    if (!isValid(row.key, row.numbers)) database.prepare("DELETE FROM perdura_summed_keys WHERE key = ?").run(row.key);
  const summed = known.filter((row) => isValid(row.key, row.numbers)).map(({ key }) => key);
  // Folding begins above the lowest id; with such a row, the rows answer.
  const add = database.prepare(
    `INSERT INTO perdura_summed_keys (key_id, key, numbers, watermark, is_summed)
     SELECT ${UNUSED_ID}, ?, ?, ${LOWEST_ID}, 1 WHERE NOT EXISTS (SELECT 1 FROM interactions WHERE id = ${LOWEST_ID})`,
  );
  for (const key of declared.keys) if (!summed.includes(key)) add.run(key, numbers);
}
