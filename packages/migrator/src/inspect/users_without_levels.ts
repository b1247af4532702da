import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { UserLevels } from "../core/user_levels.ts";

/** How many users are named. */
const NAMED = 10;

/** Rows and their users. */
interface Share {
  rows: number;
  users: number;
}

/** The users of rows without levels, and what states say of them. */
export interface UsersWithoutLevels {
  all: Share;
  /** Those with a state that holds a level, by that level. */
  byLevel: Map<number, Share>;
  /** Those without. */
  rest: Share;
  /** The first of these. */
  named: string[];
  /** The first of those whose states contradict each other. */
  contradictory: string[];
}

/**
 * Looks the users up in what was read of the states. Only their ids come out of the database, in bytes.
 *
 * @param from SQL: the rows, over the alias `e`.
 * @param known null where states are of no interest: then the users are only counted.
 */
export function usersWithoutLevels(database: Database, from: string, known: UserLevels | null): UsersWithoutLevels {
  const found: UsersWithoutLevels = {
    all: { rows: 0, users: 0 },
    byLevel: new Map(),
    rest: { rows: 0, users: 0 },
    named: [],
    contradictory: [],
  };
  if (known === null) {
    const all = database
      .prepare(`SELECT count(*) AS rows, count(DISTINCT e.user_id COLLATE BINARY) AS users FROM ${from}`)
      .get() as Share;
    return { ...found, all, rest: all };
  }
  const encoding = database.pragma("encoding", { simple: true }) as string;
  const users = database
    .prepare(`SELECT CAST(e.user_id AS BLOB) AS user, count(*) AS rows FROM ${from} GROUP BY e.user_id COLLATE BINARY`)
    .iterate() as IterableIterator<{ user: Buffer; rows: number }>;
  for (const { user, rows } of users) count(found, utf8Of(user, encoding), rows, known);
  return found;
}

function count(found: UsersWithoutLevels, user: Buffer, rows: number, known: UserLevels): void {
  const key = user.toString("latin1");
  const level = known.levels.get(key)?.level;
  add(found.all, rows);
  if (level !== undefined) {
    const share = found.byLevel.get(level) ?? { rows: 0, users: 0 };
    found.byLevel.set(level, share);
    return add(share, rows);
  }
  add(found.rest, rows);
  if (found.named.length < NAMED) found.named.push(user.toString("utf8"));
  if (known.contradictory.has(key) && found.contradictory.length < NAMED)
    found.contradictory.push(user.toString("utf8"));
}

function add(share: Share, rows: number): void {
  share.rows += rows;
  share.users += 1;
}

/** A database may hold its text in UTF-16; names of files are UTF-8. */
function utf8Of(bytes: Buffer, encoding: string): Buffer {
  if (encoding === "UTF-8") return bytes;
  const little = encoding === "UTF-16be" ? Buffer.from(bytes).swap16() : bytes;
  return Buffer.from(little.toString("utf16le"));
}
