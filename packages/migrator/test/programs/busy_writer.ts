/**
 * A pre-16 program: a connection and a transaction for every row, with a rollback journal that is created and deleted.
 * With `wal`, a program that keeps its connection, and writes some rows every millisecond into a write-ahead log.
 */
import { connect } from "../../../../test/legacy/legacy_database.ts";

const [path, mode] = process.argv.slice(2) as [string, string | undefined];
const INSERT = "INSERT INTO metrics (user_id, empathy_level, success) VALUES ('u', 1, 1)";
let ended = false;
process.stdin.on("end", () => (ended = true)).resume();
if (mode === "wal") writeLog();
else {
  process.stdout.write("writing\n");
  writeOne();
}

function writeOne(): void {
  const database = connect(path, { timeout: 10_000 });
  database.exec(INSERT);
  database.close();
  // Pauses between rows; otherwise a slow disk would never let a reader in.
  if (!ended) setTimeout(writeOne, 1);
}

function writeLog(): void {
  const database = connect(path, { timeout: 10_000 });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = NORMAL");
  const insert = database.prepare(INSERT);
  insert.run();
  process.stdout.write("writing\n");
  const write = (): void => {
    for (let row = 0; row < 5; row += 1) insert.run();
    if (ended) database.close();
    else setTimeout(write, 1);
  };
  write();
}
