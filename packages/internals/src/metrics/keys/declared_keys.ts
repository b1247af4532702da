import { CorruptDataError, ValidationError } from "../../errors/errors.ts";
import type { Database } from "../../sqlite/open_database.ts";

/** Keys of metadata whose sums are kept. */
export interface DeclaredKeys {
  /** Keys whose values have sums of their own. */
  keys: readonly string[];
  /** Keys whose numbers are summed for each value. */
  numbers: readonly string[];
}

export const NO_KEYS: DeclaredKeys = { keys: [], numbers: [] };

const TABLE = "perdura_declared_keys";

const CREATE_TABLE = `CREATE TABLE ${TABLE} (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID`;

/** Each has sums of its own for each user and day. */
export const MOST_KEYS = 20;

/** Largest number of values that a key may have: more would be sums of single rows. */
export const MOST_VALUES = 1000;

/** True for the table of the declared keys, by its name and SQL text. It contains no values of metadata. */
export function isDeclaredKeysTable(name: string, sql: string | null): boolean {
  return name === TABLE && sql === CREATE_TABLE;
}

/** The declared keys of a database, in the order of code points; none if another program uses the name of the table. */
export function declaredKeys(database: Database): DeclaredKeys {
  if (tableSql(database) !== CREATE_TABLE) return NO_KEYS;
  const of = database.prepare(`SELECT key FROM main.${TABLE} WHERE kind = ? ORDER BY key`).pluck();
  return { keys: of.all("key") as string[], numbers: of.all("number") as string[] };
}

/** True if all of them are declared. */
export function areDeclared(database: Database, wanted: DeclaredKeys): boolean {
  return wanted.keys.length + wanted.numbers.length === 0 || includesKeys(declaredKeys(database), wanted);
}

/**
 * Declares keys, in addition to those that are declared. The caller holds a write transaction.
 *
 * @throws ValidationError if a database has too many, CorruptDataError if the name of the table is taken.
 */
export function declareKeys(database: Database, { keys, numbers }: DeclaredKeys, dbPath: string): void {
  const found = tableSql(database);
  if (found === undefined) database.exec(CREATE_TABLE.replace(TABLE, `main.${TABLE}`));
  else if (found !== CREATE_TABLE)
    throw new CorruptDataError(
      `"${TABLE}" is not a table of perdura, so that no keys can be declared. No stored data was changed.`,
      { path: dbPath },
    );
  const declare = database.prepare(`INSERT OR IGNORE INTO main.${TABLE} (kind, key) VALUES (?, ?)`);
  for (const key of keys) declare.run("key", key);
  for (const key of numbers) declare.run("number", key);
  assertKeyCount(declaredKeys(database));
}

/** @throws ValidationError if a database would have too many declared keys. */
export function assertKeyCount({ keys, numbers }: DeclaredKeys): void {
  if (Math.max(keys.length, numbers.length) <= MOST_KEYS) return;
  throw new ValidationError(
    `a database can have ${MOST_KEYS} declared keys and ${MOST_KEYS} declared numbers; with these it would have ${keys.length} and ${numbers.length}. None of these was declared. Keys that are no longer needed are rows of ${TABLE}, which can be deleted.`,
    { argument: "breakdown" },
  );
}

/** True if all of the wanted keys are among the known ones. */
export function includesKeys(known: DeclaredKeys, wanted: DeclaredKeys): boolean {
  const has = (list: readonly string[], keys: readonly string[]): boolean => keys.every((key) => list.includes(key));
  return has(known.keys, wanted.keys) && has(known.numbers, wanted.numbers);
}

function tableSql(database: Database): string | null | undefined {
  return database.prepare("SELECT sql FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE").pluck().get(TABLE) as
    | string
    | null
    | undefined;
}
