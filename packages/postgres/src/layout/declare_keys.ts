import { StorageError } from "@perdura/internals/errors/errors.js";
import {
  assertKeyCount,
  type DeclaredKeys,
  includesKeys,
  NO_KEYS,
} from "@perdura/internals/metrics/keys/declared_keys.js";
import type { Connection, Session } from "../connection/connection.ts";
import { codeOf } from "../connection/failures.ts";
import { areKeysIntact, declaredTable, hasKeys, keyTables, mayUseKeys } from "./key_tables.ts";
import type { KeySums } from "./key_sums.ts";
import type { Names } from "./names.ts";
import { mayRead } from "./own_rows.ts";
import { lockSetUp, type Tables } from "./set_up.ts";

/** Reads the declared keys, in the order of code points; none if the role may not read them. */
export async function declaredKeys(session: Session, names: Names): Promise<DeclaredKeys> {
  const [keys] = await session.query<{ readable: boolean }>(
    `SELECT ${hasKeys(names)} AND ${mayRead([names.declaredKeys])} AS readable`,
  );
  if (keys?.readable !== true) return NO_KEYS;
  const rows = await session.query<{ kind: string; key: string }>(
    `SELECT kind, key FROM ${names.declaredKeys} ORDER BY key COLLATE "C"`,
  );
  const of = (wanted: string): string[] => rows.flatMap(({ kind, key }) => (kind === wanted ? [key] : []));
  return { keys: of("key"), numbers: of("number") };
}

/** True if the sums by key may answer: they exist, the role may use them, and all changes of metadata were noticed. */
export async function mayAskKeys(session: Session, names: Names): Promise<boolean> {
  if (!(await areThereKeys(session, names))) return false;
  const [keys] = await session.query<{ valid: boolean }>(
    `SELECT ${names.sumsValid}() AND ${areKeysIntact(names)} AND ${mayUseKeys(names)} AS valid`,
  );
  return keys?.valid === true;
}

/** Returns what is needed to change the sums by key; undefined if no keys were declared. */
export async function keySumsIn(session: Session, { names, isSpread }: Tables): Promise<KeySums | undefined> {
  if (!(await areThereKeys(session, names))) return undefined;
  // All keys have the same numbers.
  const [numbers] = await session.query<{ count: number }>(
    `SELECT coalesce(max(cardinality(numbers)), 0) AS count FROM ${names.summedKeys}`,
  );
  return { names, isSpread, places: Array.from({ length: numbers?.count ?? 0 }, (_, index) => index + 1) };
}

/** True if keys were declared in the schema. */
export async function areThereKeys(session: Session, names: Names): Promise<boolean> {
  const [keys] = await session.query<{ exist: boolean }>(`SELECT ${hasKeys(names)} AS exist`);
  return keys?.exist === true;
}

/**
 * Declares keys of metadata, in addition to those that are declared. The first ones get tables for their sums.
 *
 * @throws ValidationError if there are too many, StorageError if the role may not declare them.
 */
export async function declareKeys(connection: Connection, tables: Tables, wanted: DeclaredKeys): Promise<void> {
  const { names, isSpread, isDistributed } = tables;
  // The next fold makes the tables of sums next to each shard.
  const missing = [...declaredTable(names), ...(isDistributed ? [] : keyTables(names, isSpread))];
  try {
    if (includesKeys(await declaredKeys(connection, names), wanted)) return;
    await connection.transaction("write", async (session) => {
      await lockSetUp(session, names);
      if (!(await areThereKeys(session, names))) await session.query(missing.join(";\n"));
      await session.query(
        `INSERT INTO ${names.declaredKeys} (kind, key)
         SELECT 'key', key FROM unnest($1::text[]) AS key UNION ALL SELECT 'number', key FROM unnest($2::text[]) AS key
         ON CONFLICT DO NOTHING`,
        [wanted.keys, wanted.numbers],
      );
      assertKeyCount(await declaredKeys(session, names));
    });
  } catch (error) {
    if (codeOf(error) !== "42501") throw error;
    throw new StorageError(
      `the role may not declare keys of metadata in the schema ${names.schemaName}: ${(error as Error).message}. None was declared. The owner of the tables can declare them, by recording once with the option breakdown; other roles then need SELECT on ${names.declaredKeys}.`,
      { path: connection.place, cause: error },
    );
  }
}
