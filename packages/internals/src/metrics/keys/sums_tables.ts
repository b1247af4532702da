import type { Database } from "../../sqlite/open_database.ts";
import { sumsOfUser } from "./key_objects.ts";
import { type StoredSums, ValueSums } from "./value_sums.ts";

/** Sums of a user on a day, in the form in which they are stored. */
type ValuesOfDay = [value: number, ...sums: StoredSums][];

export interface UserSums {
  /**
   * Adds to the sums of a user on a day.
   *
   * @param id An interaction of the user.
   */
  add(id: number | string, day: string, added: Map<number, ValueSums>): void;
}

/** The sums of users under a key. */
export function userSums(database: Database, key: number): UserSums {
  const user = "(SELECT user_id FROM interactions WHERE id = ?)";
  const where = `key_id = ${key} AND user_id = ${user} AND day = ?`;
  const find = database.prepare(`SELECT sums FROM perdura_user_key_days WHERE ${where}`).pluck();
  const insert = database.prepare(
    `INSERT INTO perdura_user_key_days (key_id, user_id, day, sums) VALUES (${key}, ${user}, ?, ?)`,
  );
  const update = database.prepare(`UPDATE perdura_user_key_days SET sums = ? WHERE ${where}`);
  const text = (sums: ReadonlyMap<number, ValueSums>): string =>
    JSON.stringify([...sums].map(([value, ofValue]) => [value, ...ofValue.stored()]));
  return {
    add: (id: number | string, day: string, added: Map<number, ValueSums>): void => {
      const stored = find.get(id, day) as string | undefined;
      if (stored === undefined) return void insert.run(id, day, text(added));
      for (const [value, ...sums] of JSON.parse(stored) as ValuesOfDay) {
        const known = ValueSums.read(sums);
        const more = added.get(value);
        if (more !== undefined) known.join(more);
        added.set(value, known);
      }
      update.run(text(added), id, day);
    },
  };
}

export interface DaySums {
  find(day: string, value: number): ValueSums | undefined;
  /** Stores sums; removes those of no interaction. */
  store(day: string, value: number, sums: ValueSums): void;
}

/** The sums of all users under a key. */
export function daySums(database: Database, key: number): DaySums {
  const where = `key_id = ${key} AND day = ? AND value_id = ?`;
  const find = database.prepare(`SELECT sums FROM perdura_value_days WHERE ${where}`).pluck();
  const store = database.prepare(
    `INSERT INTO perdura_value_days (key_id, day, value_id, sums) VALUES (${key}, ?, ?, ?)
     ON CONFLICT (key_id, day, value_id) DO UPDATE SET sums = excluded.sums`,
  );
  const remove = database.prepare(`DELETE FROM perdura_value_days WHERE ${where}`);
  return {
    find: (day: string, value: number): ValueSums | undefined => {
      const stored = find.get(day, value) as string | undefined;
      return stored === undefined ? undefined : ValueSums.read(JSON.parse(stored) as StoredSums);
    },
    store: (day: string, value: number, sums: ValueSums): void => {
      if (sums.operations === 0) remove.run(day, value);
      else store.run(day, value, JSON.stringify(sums.stored()));
    },
  };
}

export interface ValueIds {
  /** The id of a value, which gets one if it has none. */
  of(name: string): number;
  /** Notes that a value has more interactions. */
  add(id: number, operations: number): void;
  /** Stores what was noted. */
  store(): void;
  /** True if the key has more than so many values. */
  areMoreThan(most: number): boolean;
}

/** The ids of the values of a key. */
export function valueIds(database: Database, key: number): ValueIds {
  const find = database.prepare("SELECT value_id FROM perdura_key_values WHERE key_id = ? AND name = ?").pluck();
  const insert = database.prepare("INSERT INTO perdura_key_values (key_id, name, operations) VALUES (?, ?, 0)");
  const raise = database.prepare("UPDATE perdura_key_values SET operations = operations + ? WHERE value_id = ?");
  const ids = new Map<string, number>();
  const added = new Map<number, number>();
  return {
    of: (name: string): number => {
      let id = ids.get(name);
      if (id === undefined) {
        id = (find.get(key, name) as number | undefined) ?? Number(insert.run(key, name).lastInsertRowid);
        ids.set(name, id);
      }
      return id;
    },
    add: (id: number, operations: number): void => void added.set(id, (added.get(id) ?? 0) + operations),
    store: (): void => {
      for (const [id, operations] of added) raise.run(operations, id);
    },
    areMoreThan: (most) =>
      database.prepare(`SELECT 1 FROM perdura_key_values WHERE key_id = ? LIMIT 1 OFFSET ${most}`).get(key) !==
      undefined,
  };
}

/** Removes the sums of a user. Values without an interaction are removed too: they may be what a person wants erased. */
export function removeUser(database: Database, key: number, user: string): void {
  const days = database.prepare(sumsOfUser(key, user)).all() as { day: string; sums: string }[];
  const remove = database.prepare(
    `DELETE FROM perdura_user_key_days WHERE key_id = ${key} AND day = ? AND user_id = ${user}`,
  );
  const ofAll = daySums(database, key);
  const lower = database.prepare("UPDATE perdura_key_values SET operations = operations - ? WHERE value_id = ?");
  for (const { day, sums } of days) {
    for (const [value, ...stored] of JSON.parse(sums) as ValuesOfDay) {
      const removed = ValueSums.read(stored);
      const all = ofAll.find(day, value) as ValueSums;
      all.subtract(removed);
      ofAll.store(day, value, all);
      lower.run(removed.operations, value);
    }
    remove.run(day);
  }
  database.exec(`DELETE FROM perdura_key_values WHERE key_id = ${key} AND operations = 0`);
}
