/**
 * A program that writes to databases for a moment, as another program would: it takes the lock of a writer, prints `held`,
 * and releases the lock again, and then prints `released`. It prints the message of SQLite instead of both if the lock
 * cannot be taken. A process of its own, because locks do not separate the connections of one process for every driver.
 *
 * A request is a line with a JSON array: the path of a database, the time of the request in milliseconds since 1970, and
 * the longest time for the lock in milliseconds, or null. With a longest time, the next line of the input releases the
 * lock. Without one it is held for longer if the request took longer to arrive, so that a call on a busy machine still
 * meets it; but not for so long that a driver that waits for a few seconds gives up. The program ends with its input.
 */
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
for await (const line of lines) {
  const [path, asked, longest] = JSON.parse(line) as [string, number, number | null];
  await hold(path, asked, longest);
}

async function hold(path: string, asked: number, longest: number | null): Promise<void> {
  let database: Database.Database | undefined;
  let requested: Promise<unknown> | undefined;
  try {
    database = new Database(path, { fileMustExist: true, timeout: 0 });
    begin(database, longest !== null);
    process.stdout.write("held\n");
    requested = longest === null ? undefined : lines.next();
    const moment = setTimeout(longest ?? Math.min(2500, 300 + 3 * (Date.now() - asked)), undefined, { ref: false });
    await (requested === undefined ? moment : Promise.race([requested, moment]));
    database.exec("COMMIT");
    database.close();
    process.stdout.write("released\n");
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    database?.close();
    process.stdout.write(`${JSON.stringify(error.message)}\n`);
  }
  await requested;
}

/**
 * For a long lock, readers have to wait as well, as they do with a rollback journal while a writer commits; unless
 * there is a reader now.
 */
function begin(database: Database.Database, isLong: boolean): void {
  try {
    database.exec(isLong ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE");
  } catch (error) {
    if (!isLong) throw error;
    database.exec("BEGIN IMMEDIATE");
  }
}
