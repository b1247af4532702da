// A process that writes all the time: it holds the lock for 20 ms, releases it for 1 ms, and prints each time how often
// it has had it. Argument: the database.
import Database from "better-sqlite3";

const [path] = process.argv.slice(2) as [string];
const database = new Database(path, { timeout: 60_000 });
const [begin, end] = ["BEGIN IMMEDIATE", "ROLLBACK"].map((sql) => database.prepare(sql));
const clock = new Int32Array(new SharedArrayBuffer(4));
for (let turn = 1; ; turn += 1) {
  begin?.run();
  console.log(turn);
  Atomics.wait(clock, 0, 0, 20);
  end?.run();
  Atomics.wait(clock, 0, 0, 1);
}
