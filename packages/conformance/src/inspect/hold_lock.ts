/**
 * A program that writes to a database for a moment, as another program would: it takes the lock of a writer, prints `held`,
 * and releases the lock again. It prints the message of SQLite instead if the lock cannot be taken. A process of its own,
 * because locks do not separate the connections of one process for every driver.
 *
 * Arguments: the path of the database, and when this program was started, in milliseconds since 1970. The lock is held for
 * longer if starting took longer, so that a call on a busy machine still meets it; but not for so long that a driver that
 * waits for a few seconds gives up.
 */
import Database from "better-sqlite3";

const [path, started] = process.argv.slice(2) as [string, string];
const database = new Database(path, { fileMustExist: true, timeout: 0 });
try {
  database.exec("BEGIN IMMEDIATE");
  process.stdout.write("held\n");
  setTimeout(
    () => {
      database.exec("COMMIT");
      database.close();
    },
    Math.min(2500, 300 + 3 * (Date.now() - Number(started))),
  );
} catch (error) {
  if (!(error instanceof Database.SqliteError)) throw error;
  process.stdout.write(`${error.message}\n`);
  database.close();
}
