import Database from "better-sqlite3";

/** Another process that tries to add a row to `metrics`, or to a given table; prints the outcome. */
const [path, table = "metrics"] = process.argv.slice(2);
const database = new Database(path, { timeout: 20 });
try {
  database.exec(`INSERT INTO ${table} (user_id, empathy_level, success) VALUES ('intruder', 1, 1)`);
  process.stdout.write("written");
} catch (error) {
  process.stdout.write((error as { code: string }).code);
}
