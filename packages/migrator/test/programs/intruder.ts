import Database from "better-sqlite3";

/** Another process that tries to add a row, by default one to field layout A; prints the outcome. */
const ROW = "INSERT INTO metrics (user_id, empathy_level, success) VALUES ('intruder', 1, 1)";
const [path, row = ROW] = process.argv.slice(2);
const database = new Database(path, { timeout: 20 });
try {
  database.exec(row);
  process.stdout.write("written");
} catch (error) {
  process.stdout.write((error as { code: string }).code);
}
