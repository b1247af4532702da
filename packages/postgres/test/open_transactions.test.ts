import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test } from "vitest";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import { ensureTables } from "../src/layout/set_up.ts";
import { StatisticsReader } from "../src/metrics/statistics_reader.ts";
import { newSchema, otherProgram } from "./elements.ts";
import { FOLDED, LAYOUT } from "./layouts.ts";

const INSERT = "INSERT INTO interactions (user_id, level, success) VALUES";

describeWithPostgres("rows of open transactions", (postgres) => {
  test.for(["COMMIT", "ROLLBACK"])(
    "count only after the end of the transaction, while others are folded (%s)",
    async (end) => {
      const schema = newSchema();
      await using connection = new Connection(postgres.url, checkedOptions({ schema, ...LAYOUT }));
      const questions = new StatisticsReader(connection, (await ensureTables(connection)).names);
      const others = otherProgram(postgres.url, schema);
      const open = await others.connect();
      await open.query("BEGIN");
      await open.query(`${INSERT} ('a', 5, true), ('late', 1, true)`);
      await others.query(`${INSERT} ('a', 2, true)`);
      await questions.foldAll();
      expect((await questions.user("a")).total_operations).toBe(1);
      await open.query(end);
      open.release();
      for (let time = 0; time < 2; time += 1) {
        const added = end === "COMMIT" ? 1 : 0;
        expect((await questions.user("a")).total_operations).toBe(1 + added);
        expect(await questions.global()).toMatchObject({ total_users: 1 + added, total_interactions: 1 + 2 * added });
        expect(await questions.users()).toEqual(["a", "late"].slice(0, 1 + added));
        await questions.foldAll();
      }
    },
  );

  test("count changes of users that others fold in the meantime", async () => {
    const schema = newSchema();
    await using connection = new Connection(postgres.url, checkedOptions({ schema, ...LAYOUT }));
    const questions = new StatisticsReader(connection, (await ensureTables(connection)).names);
    const others = otherProgram(postgres.url, schema);
    await others.query(`${INSERT} ('a', 2, true), ('a', 2, true), ('b', 2, true)`);
    // Until no transaction of the cluster is older, including those of other tests.
    await expect
      .poll(async () => {
        await questions.foldAll();
        return (await others.query(FOLDED)).rows;
      })
      .toEqual([{ operations: 3 }]);
    await others.query("UPDATE interactions SET success = false WHERE id = 1");
    const open = await others.connect();
    await open.query("BEGIN");
    await open.query("UPDATE interactions SET success = false WHERE id = 2");
    await questions.foldAll();
    expect((await questions.user("a")).success_rate).toBe(0.5);
    await open.query("COMMIT");
    open.release();
    for (let time = 0; time < 2; time += 1) {
      expect((await questions.user("a")).success_rate).toBe(0);
      expect((await questions.global()).success_rate).toBe(1 / 3);
      await questions.foldAll();
    }
  });
});
