import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test } from "vitest";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import { ensureTables } from "../src/layout/set_up.ts";
import { Questions } from "../src/metrics/questions.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { newSchema, otherProgram } from "./elements.ts";

const ROWS = `INSERT INTO interactions (user_id, level, success, response_time_ms)
  SELECT chr(97 + n % 2), 1 + n % 5, n % 3 = 0, n FROM generate_series(1, 20) AS n`;

describeWithPostgres("what other programs do to rows that were added up", (postgres) => {
  test.for([
    ["a row goes to a user who has some", "UPDATE interactions SET user_id = 'b' WHERE id = 2"],
    ["a row goes to a new user", "UPDATE interactions SET user_id = 'c' WHERE id = 2"],
    [
      "a row changes",
      "UPDATE interactions SET level = 5, success = NOT success, response_time_ms = 1e300 WHERE id = 20",
    ],
    ["the newest row becomes the oldest", "UPDATE interactions SET id = -5 WHERE id = 20"],
    ["rows go", "DELETE FROM interactions WHERE id > 17"],
    ["a user goes", "DELETE FROM interactions WHERE user_id = 'b'"],
    ["all rows go", "DELETE FROM interactions"],
    ["the table is emptied", "TRUNCATE interactions CASCADE"],
    ["the table is filled anew", "BEGIN; TRUNCATE interactions CASCADE; " + ROWS + "; COMMIT"],
    ["an old row comes", "INSERT INTO interactions (id, user_id, level, success) VALUES (-1, 'b', 3, true)"],
    [
      "rows come with the number of another transaction",
      "INSERT INTO interactions (user_id, level, success, recorded_by) SELECT 'c', 1, true, recorded_by FROM interactions LIMIT 3",
    ],
    ["rows come and go", `${ROWS}; DELETE FROM interactions WHERE id > 30`],
  ] as const)("%s", async ([, sql]) => {
    for (const partitions of [undefined, 3]) {
      const schema = newSchema();
      await using connection = new Connection(postgres.url, checkedOptions({ schema, partitions }));
      const questions = new Questions(connection, (await ensureTables(connection)).names);
      const other = otherProgram(postgres.url, schema);
      await other.query(ROWS);
      await questions.foldAll();
      await other.query(sql);
      const counted = await countedRows(other);
      for (let time = 0; time < 2; time += 1) {
        expect(await questions.global()).toEqual(counted.global);
        expect(await questions.users()).toEqual(counted.users);
        for (const user of ["a", "b", "c"])
          expect(withoutMean(await questions.user(user))).toEqual(withoutMean(counted.user(user)));
        await questions.foldAll();
      }
    }
  });
});
