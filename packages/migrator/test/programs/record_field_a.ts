/** `record_field_a.ts DATABASE NAME`: a Node program up to 14.x. A connection for every call, tables made at the start. */
import { connect, FIELD_A } from "../../../../test/legacy/legacy_database.ts";
import { recordUntilEnd } from "./protocol.ts";

const [path = "", name = ""] = process.argv.slice(2);

function withConnection<Result>(use: (database: ReturnType<typeof connect>) => Result): Result {
  const database = connect(path, { timeout: 30_000 });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

try {
  withConnection((database) => database.exec(FIELD_A));
  recordUntilEnd((number) =>
    withConnection(
      (database) =>
        database
          .prepare(
            "INSERT INTO metrics (user_id, empathy_level, success, response_time_ms, metadata) VALUES (?, ?, ?, ?, ?)",
          )
          .run(name, (number % 5) + 1, 1, number / 8, `{"n": ${number}, "x": NaN}`).lastInsertRowid,
    ),
  );
} catch (error) {
  process.stdout.write(`failed ${(error as Error).message}\n`);
  process.exitCode = 1;
}
