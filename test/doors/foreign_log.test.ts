import { copyFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { contentOf } from "./folder_content.ts";
import { ALL_DOORS } from "./all_doors.ts";
import type { Door } from "./doors.ts";

const ROWS = (count: number): string =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
   INSERT INTO interactions (user_id, level, success, response_time_ms) SELECT 'user' || i, 1 + i % 5, 1, i FROM n`;

const TABLES = `
  CREATE TABLE interactions (id INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, level INTEGER NOT NULL,
    success BOOLEAN NOT NULL, response_time_ms REAL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
  CREATE INDEX idx_interactions_user ON interactions (user_id);
  CREATE INDEX idx_interactions_timestamp ON interactions (timestamp);`;

/** A database with rows, and a backup of it from before the last ones. */
function writer(journal: "wal" | "delete"): { database: Database.Database; path: string; backup: string } {
  const folder = freshFolder();
  const [path, backup] = [join(folder, "metrics.db"), join(folder, "backup.db")];
  const database = new Database(path);
  database.pragma(`journal_mode = ${journal}`);
  database.exec(`${TABLES} ${ROWS(500)}`);
  database.pragma("wal_checkpoint(TRUNCATE)");
  copyFileSync(path, backup);
  return { database, path, backup };
}

/** Puts a restored database next to the log of a writer that was killed, as it is at that moment. */
function restored(backup: string, path: string, suffix: string): string {
  const place = join(freshFolder(), basename(path));
  copyFileSync(backup, place);
  copyFileSync(`${path}${suffix}`, `${place}${suffix}`);
  return place;
}

/** Restored backups next to a log that belongs to another database. */
const RESTORED: Record<string, () => string> = {
  "a backup without a write-ahead log next to one": () => {
    const { database, path, backup } = writer("wal");
    const plain = join(dirname(backup), "plain.db");
    database.exec(`VACUUM INTO '${plain}'`);
    const copy = new Database(plain);
    copy.pragma("journal_mode = DELETE");
    copy.close();
    database.exec(ROWS(500));
    const place = restored(plain, path, "-wal");
    database.close();
    return place;
  },
  "an older backup next to a write-ahead log": () => {
    const { database, path, backup } = writer("wal");
    for (let count = 0; count < 3; count += 1) {
      database.exec(ROWS(500));
      database.pragma("wal_checkpoint(TRUNCATE)");
    }
    database.exec("UPDATE interactions SET level = 5");
    const place = restored(backup, path, "-wal");
    database.close();
    return place;
  },
  "a larger database next to a write-ahead log": () => {
    const { database, path } = writer("wal");
    const other = writer("wal");
    other.database.exec(ROWS(5000));
    other.database.close();
    database.exec("UPDATE interactions SET level = 5");
    const place = restored(other.path, path, "-wal");
    database.close();
    return place;
  },
  "a database of other pages next to a write-ahead log": () => {
    const { database, path, backup } = writer("wal");
    const other = new Database(backup);
    other.pragma("journal_mode = DELETE");
    other.pragma("page_size = 1024");
    other.exec("VACUUM");
    other.pragma("journal_mode = WAL");
    other.close();
    database.exec(ROWS(50));
    const place = restored(backup, path, "-wal");
    database.close();
    return place;
  },
  "an older backup next to a rollback journal": () => {
    const { database, path, backup } = writer("delete");
    for (let count = 0; count < 3; count += 1) database.exec(ROWS(500));
    database.pragma("cache_size = 1");
    database.exec(`BEGIN; UPDATE interactions SET level = 5; ${ROWS(2000)}`);
    const place = restored(backup, path, "-journal");
    database.exec("ROLLBACK");
    database.close();
    return place;
  },
  "a restored database next to the journal of one that was being created": () => {
    const { database, backup } = writer("delete");
    database.close();
    const other = new Database(join(freshFolder(), "other.db"));
    other.pragma("cache_size = 1");
    other.exec(`BEGIN; ${TABLES} ${ROWS(3000)}`);
    const place = restored(backup, other.name, "-journal");
    other.exec("ROLLBACK");
    other.close();
    return place;
  },
};

/** Databases next to a file that only has the name of a log. */
const NO_LOGS: Record<string, () => string> = {
  "a text with the name of the write-ahead log": () => besideNotes("wal", "-wal"),
  "a text with the name of the journal": () => besideNotes("delete", "-journal"),
};

function besideNotes(journal: "wal" | "delete", suffix: string): string {
  const { database, path } = writer(journal);
  database.close();
  writeFileSync(`${path}${suffix}`, "The notes of a person.\n");
  return path;
}

/** The suite judges a copy, and shares no code with the library; it knows the first kind. */
const isKnown = (door: Door, what: string): boolean =>
  door.intent !== "other" && (door.name !== "check-file" || what === Object.keys(RESTORED)[0]);

const CELLS = ALL_DOORS.flatMap((door) =>
  Object.entries({ ...RESTORED, ...NO_LOGS })
    .filter(([what]) => isKnown(door, what))
    .map(([what, make]) => ({ door: door.name, what, enter: door.enter, make })),
);

test.each(CELLS)("$door refuses $what, and changes no byte", async ({ enter, make }) => {
  const path = make();
  const before = contentOf(dirname(path));
  const refusal = await enter(path, freshFolder());
  expect(contentOf(dirname(path))).toEqual(before);
  expect(refusal).toMatch(/metrics\.db-(?:wal|journal)|other\.db-journal|was modified/);
  expect(refusal).toMatch(/belongs to another database|is not a (?:log|journal) of SQLite|was modified/);
});
