/**
 * A program that writes to databases for a moment, as another program would: it takes the lock of a writer, prints `held`,
 * and releases the lock again, and then prints `released`. It prints the message of SQLite instead of both if the lock
 * cannot be taken. A process of its own, because locks do not separate the connections of one process for every driver.
 *
 * Each line of its input is a JSON array: the path of a database, and the time of the request in milliseconds since 1970.
 * The lock is held for longer if the request took longer to arrive, so that a call on a busy machine still meets it; but
 * not for so long that a driver that waits for a few seconds gives up. It ends with its input.
 */
import { createInterface } from "node:readline";
import Database from "better-sqlite3";

for await (const line of createInterface({ input: process.stdin })) {
  const [path, asked] = JSON.parse(line) as [string, number];
  await hold(path, asked);
}

async function hold(path: string, asked: number): Promise<void> {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { fileMustExist: true, timeout: 0 });
    database.exec("BEGIN IMMEDIATE");
    process.stdout.write("held\n");
    const moment = Math.min(2500, 300 + 3 * (Date.now() - asked));
    await new Promise((resolve) => setTimeout(resolve, moment));
    database.exec("COMMIT");
    database.close();
    process.stdout.write("released\n");
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    database?.close();
    process.stdout.write(`${JSON.stringify(error.message)}\n`);
  }
}
