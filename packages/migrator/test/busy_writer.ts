/** A program of the old line: a connection and a transaction for every row, with a rollback journal that comes and goes. */
import { connect } from "./legacy_database.ts";

const path = process.argv[2] as string;
let ended = false;
process.stdin.on("end", () => (ended = true)).resume();
process.stdout.write("writing\n");

function writeOne(): void {
  const database = connect(path, { timeout: 10_000 });
  database.exec("INSERT INTO metrics (user_id, empathy_level, success) VALUES ('u', 1, 1)");
  database.close();
  // Rows come one by one; without a breath a slow disk would never let a reader in.
  if (!ended) setTimeout(writeOne, 1);
}
writeOne();
