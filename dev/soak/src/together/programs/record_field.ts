import Database from "better-sqlite3";
import { FIELD_A } from "../../../../../test/legacy/legacy_database.ts";
import { hasMetadata, rowOf } from "../recorded.ts";
import { say, untilSignal } from "./say.ts";

/**
 * `record_field.ts LINE DATABASE USER`: records like programs up to 14.x: creates missing tables and indexes at the
 * start, uses a connection and a transaction for each row, and keeps the journal mode.
 */
const [, path = "", user = ""] = process.argv.slice(2);
const INSERT =
  "INSERT INTO metrics (user_id, empathy_level, success, response_time_ms, metadata) VALUES (?, ?, ?, ?, ?)";
let stored = 0;

function withConnection(use: (database: Database.Database) => void): void {
  const database = new Database(path, { timeout: 60_000 });
  try {
    use(database);
  } finally {
    database.close();
  }
}

await untilSignal(async () => {
  if (stored === 0) withConnection((database) => database.exec(FIELD_A));
  const { level, success, time } = rowOf(stored + 1);
  const metadata = hasMetadata("metric", stored + 1) ? `{"n":${stored + 1}}` : null;
  withConnection((database) => database.prepare(INSERT).run(user, level, success ? 1 : 0, time, metadata));
  stored += 1;
  say("stored", stored);
  // Pauses between rows; otherwise readers would never get access with a rollback journal.
  await new Promise((resolve) => void setTimeout(resolve, Math.random() * 20));
});
