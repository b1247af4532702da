// Changes a database through two connections in every way that SQLite has, until it is killed. Arguments: path, journal
// mode, auto_vacuum, seed. Prints a character for each step.
import { writeSync } from "node:fs";
import Database from "better-sqlite3";

const [path, journal, vacuum, seed] = process.argv.slice(2);
let state = Number(seed) || 1;
const below = (limit) => {
  state = (state * 1103515245 + 12345) & 0x7fffffff;
  return (state >> 8) % limit;
};

function open() {
  const database = new Database(path, { timeout: 5000 });
  if (vacuum !== "0") database.pragma(`auto_vacuum = ${vacuum}`);
  database.pragma(`journal_mode = ${journal}`);
  database.pragma("synchronous = NORMAL");
  database.pragma(`cache_size = ${below(2) === 0 ? 5 : -2000}`);
  database.exec("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, a, b); CREATE INDEX IF NOT EXISTS i ON t (a)");
  return database;
}

const insert = (database, count, length) => {
  const statement = database.prepare("INSERT INTO t (a, b) VALUES (?, ?)");
  for (let row = 0; row < count; row += 1) statement.run(below(1000), "y".repeat(below(length)));
};

let connections = [open(), open()];

const STEPS = [
  (one) => one.pragma(`wal_checkpoint(${["PASSIVE", "FULL", "RESTART", "TRUNCATE"][below(4)]})`),
  (one) => below(10) === 0 && one.exec("VACUUM"),
  (one) => one.exec(`DELETE FROM t WHERE id % ${2 + below(5)} = 0`),
  (one, index) => {
    one.close();
    connections[index] = open();
  },
  (one) => one.pragma("incremental_vacuum(3)"),
  (one) => one.exec(`CREATE TABLE IF NOT EXISTS x${below(5)} (a); DROP TABLE IF EXISTS x${below(5)}`),
  (one) => {
    one.exec("BEGIN");
    insert(one, below(400), 3000);
    one.exec(below(3) === 0 ? "ROLLBACK" : "COMMIT");
  },
  (one) => {
    one.exec("BEGIN; SAVEPOINT s");
    insert(one, below(100), 9000);
    one.exec("ROLLBACK TO s; INSERT INTO t (a) VALUES (1); COMMIT");
  },
  async () => {
    if (below(20) > 0) return;
    const other = new Database(":memory:");
    other.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); CREATE INDEX i ON t (a)");
    insert(other, below(300), 200);
    await other.backup(path);
    other.close();
  },
  () => {
    if (below(30) > 0) return;
    for (const each of connections) each.close();
    const other = new Database(path);
    other.pragma(`journal_mode = ${below(2) === 0 ? "DELETE" : "WAL"}`);
    insert(other, 3, 100);
    other.close();
    connections = [open(), open()];
  },
  ...Array.from({ length: 6 }, () => (one) => insert(one, 1, 200)),
];

for (;;) {
  const index = below(2);
  try {
    await STEPS[below(STEPS.length)](connections[index], index);
  } catch (error) {
    if (!/^SQLITE_(?:BUSY|LOCKED)/.test(error.code)) throw error;
  }
  writeSync(1, ".");
}
