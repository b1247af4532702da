import Database from "better-sqlite3";

/** Another process that tries to add a row to `metrics`; prints how that went. */
const database = new Database(process.argv[2], { timeout: 20 });
try {
  database.exec("INSERT INTO metrics (user_id, empathy_level, success) VALUES ('intruder', 1, 1)");
  process.stdout.write("written");
} catch (error) {
  process.stdout.write((error as { code: string }).code);
}
