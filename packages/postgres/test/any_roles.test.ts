import { askedBreakdown } from "@perdura/internals/metrics/breakdown/breakdown_arguments.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import fc from "fast-check";
import type pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import { declareKeys } from "../src/layout/declare_keys.ts";
import type { Tables } from "../src/layout/set_up.ts";
import { ensureTables } from "../src/layout/set_up.ts";
import { OverviewReader } from "../src/metrics/overview_reader.ts";
import { recount } from "../src/metrics/recount.ts";
import { readAnyBreakdown } from "../src/metrics/key_reader.ts";
import { StatisticsReader } from "../src/metrics/statistics_reader.ts";
import { DECLARED, expectBreakdowns, METADATA } from "./counted_breakdowns.ts";
import { countedRows, withoutMean } from "./counted_rows.ts";
import { expectOverview } from "./counted_overview.ts";
import { expectTrends, trendsOf } from "./counted_trends.ts";
import { poolOfOther } from "./elements.ts";
import { LAYOUTS, ON_CITUS } from "./layouts.ts";
import { databaseOfRoles } from "./roles.ts";
import { runs } from "./runs.ts";

const USERS = ["a", "b", "c"];
const USER = fc.constantFrom("'a'", "'b'", "'c'");
/** The owner and two others. */
const ROLE = fc.constantFrom(0, 1, 2);

const KEYS = ["declared_keys", ...(ON_CITUS ? [] : ["summed_keys", "user_key_days", "key_days", "long_names"])];
const SUMS = ["rollup", "user_rollup", "user_days", "days", "stale_users", ...KEYS].map((table) => `perdura_${table}`);
const CONDITION = fc.constantFrom("true", "false", "user_id = 'a'", "user_id <> 'b'", "level > 2", "id % 2 = 0");

/** Changes by a superuser; a role is written as `ROLE`. */
const SETTING = fc.oneof(
  fc
    .constantFrom("ENABLE", "ENABLE", "DISABLE", "FORCE", "NO FORCE")
    .map((how) => `ALTER TABLE interactions ${how} ROW LEVEL SECURITY`),
  {
    weight: 3,
    arbitrary: fc
      .record({
        name: fc.constantFrom("p", "q", "r"),
        kind: fc.constantFrom("PERMISSIVE", "PERMISSIVE", "RESTRICTIVE"),
        command: fc.constantFrom("ALL", "SELECT", "INSERT", "UPDATE", "DELETE"),
        to: fc.constantFrom("ROLE", "ROLE", "PUBLIC"),
        condition: CONDITION,
      })
      .map(({ name, kind, command, to, condition }) => {
        const using = command === "INSERT" ? `WITH CHECK (${condition})` : `USING (${condition})`;
        return `DROP POLICY IF EXISTS ${name} ON interactions; CREATE POLICY ${name} ON interactions AS ${kind} FOR ${command} TO ${to} ${using}`;
      }),
  },
  fc.constantFrom("p", "q", "r").map((name) => `DROP POLICY IF EXISTS ${name} ON interactions`),
  fc
    .tuple(
      fc.constantFrom("GRANT", "GRANT", "REVOKE"),
      fc.constantFrom("SELECT", "INSERT", "UPDATE", "DELETE", "SELECT, INSERT, UPDATE, DELETE"),
      fc.constantFrom("interactions", "interaction_metadata", SUMS.join(", "), ...SUMS),
    )
    .map(([how, what, on]) => `${how} ${what} ON ${on} ${how === "GRANT" ? "TO" : "FROM"} ROLE`),
  fc.constantFrom("BYPASSRLS", "NOBYPASSRLS").map((how) => `ALTER ROLE ROLE ${how}`),
  fc
    .tuple(fc.constantFrom("ENABLE", "DISABLE"), fc.constantFrom("interaction_metadata", ...SUMS))
    .map(([how, table]) => `ALTER TABLE ${table} ${how} ROW LEVEL SECURITY`),
  // The role may read the sums, but not all metadata.
  fc.constant(
    `GRANT SELECT ON interactions, interaction_metadata, ${SUMS.join(", ")} TO ROLE; ALTER TABLE interactions DISABLE ROW LEVEL SECURITY; ALTER TABLE interaction_metadata ENABLE ROW LEVEL SECURITY`,
  ),
);

const CHANGE = fc.oneof(
  fc
    .tuple(USER, fc.integer({ min: 1, max: 5 }), fc.boolean(), fc.integer({ min: 1, max: 28 }))
    .map(
      ([user, level, success, day]) =>
        `INSERT INTO interactions (user_id, level, success, response_time_ms, timestamp) VALUES (${user}, ${level}, ${success}, ${day}, '2024-01-${String(day).padStart(2, "0")} 10:00:00')`,
    ),
  // Citus refuses to change the user of a row.
  fc
    .tuple(USER, USER)
    .map(([from, to]) =>
      ON_CITUS
        ? `UPDATE interactions SET level = 4 WHERE user_id IN (${from}, ${to})`
        : `UPDATE interactions SET user_id = ${to} WHERE user_id = ${from}`,
    ),
  fc.nat(30).map((id) => `UPDATE interactions SET success = NOT success, level = 3 WHERE id <= ${id}`),
  USER.map((user) => `DELETE FROM interactions WHERE user_id = ${user}`),
  ...METADATA.slice(0, 5).flatMap((metadata) => [
    fc.constant(
      `INSERT INTO interaction_metadata (interaction_id OF_USER, metadata) SELECT id OF_USER, '${metadata}' FROM interactions WHERE id % 3 = 0 ON CONFLICT DO NOTHING`,
    ),
    fc.constant(`UPDATE interaction_metadata SET metadata = '${metadata}' WHERE interaction_id % 4 = 0`),
  ]),
);

const STEPS = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ role: ROLE, setting: SETTING }) },
    { weight: 4, arbitrary: fc.record({ role: ROLE, change: CHANGE }) },
    { weight: 2, arbitrary: fc.record({ fold: ROLE }) },
    { weight: 1, arbitrary: fc.record({ recount: ROLE }) },
    { weight: 2, arbitrary: fc.record({ ask: ROLE }) },
  ),
  { minLength: 5, maxLength: 30, size: "max" },
);

/** The connections of one role. */
interface Program {
  plain: pg.Pool;
  connection: Connection;
  questions: StatisticsReader;
}

/** Compares breakdowns with those of plain SQL of the same role; both fail if the role may not read the rows. */
async function checkBreakdowns({ plain, connection }: Program, tables: Tables): Promise<void> {
  const code = "42501";
  try {
    for (const table of ["interactions", "interaction_metadata"]) await plain.query(`SELECT * FROM ${table} LIMIT 0`);
  } catch (error) {
    expect(error).toMatchObject({ code });
    await expect(readAnyBreakdown(connection, tables, askedBreakdown("tool"))).rejects.toMatchObject({ code });
    return;
  }
  await expectBreakdowns(connection, tables, plain);
}

/** Compares every answer with that of plain SQL of the same role; both fail if the role may not read the rows. */
async function check({ plain, connection, questions }: Program, tables: Tables): Promise<void> {
  const code = "42501";
  try {
    await plain.query("SELECT * FROM interactions LIMIT 0");
  } catch (error) {
    expect(error).toMatchObject({ code });
    await expect(questions.global()).rejects.toMatchObject({ code });
    await expect(questions.user("a")).rejects.toMatchObject({ code });
    return;
  }
  const counted = await countedRows(plain);
  expect(await questions.users()).toEqual(counted.users);
  expect(await questions.global()).toEqual(counted.global);
  for (const user of USERS) {
    expect(withoutMean(await questions.user(user))).toEqual(withoutMean(counted.user(user)));
    const { rows } = await plain.query<{ level: number | null }>(`SELECT perdura_current_level($1) AS level`, [user]);
    expect(rows[0]?.level ?? undefined).toBe(counted.user(user).current_level);
  }
  await expectTrends(trendsOf(questions), plain, USERS);
  await connection.transaction("read", (session) =>
    expectOverview(new OverviewReader(session, tables, new StatisticsReader(connection, tables.names)), plain),
  );
}

describeWithPostgres("answers", (postgres) => {
  test.for(LAYOUTS)(
    "equal those of plain SQL for every role, after any policies, grants, changes and folds, in %s",
    async ([, options]) => {
      const schema = "perdura";
      const { change, owner, others, as } = await databaseOfRoles(postgres.serverUrl, 2);
      const roles = [owner, ...others];
      const first = new Connection(as(owner), checkedOptions({ ...options, schema }));
      const known = await ensureTables(first);
      await declareKeys(first, known, DECLARED);
      await first.close();
      const open = (role: string): Program => {
        const connection = new Connection(as(role), checkedOptions({ ...options, schema }));
        return {
          plain: poolOfOther(as(role), schema),
          connection,
          questions: new StatisticsReader(connection, known.names),
        };
      };
      const close = async ({ plain, connection }: Program): Promise<void> => {
        await connection.close();
        await plain.end();
      };
      const programs = roles.map(open);
      onTestFinished(async () => void (await Promise.all(programs.map(close))));
      const program = (role: number): Program => programs[role] as Program;
      await change(`SET search_path = perdura; GRANT USAGE ON SCHEMA perdura TO ${others.join(", ")};
        GRANT SELECT ON perdura_meta, interactions, interaction_metadata TO ${others.join(", ")};
        GRANT USAGE ON ALL SEQUENCES IN SCHEMA perdura TO ${others.join(", ")}`);
      /** Expects the failure of a change that a policy or a missing privilege refuses. */
      const refused = (error: unknown): void => expect(error).toMatchObject({ code: "42501" });
      await fc.assert(
        fc.asyncProperty(STEPS, async (steps) => {
          for (const step of steps) {
            if ("setting" in step && step.setting.includes("BYPASSRLS")) {
              // A session keeps the plans that it made with the former attribute.
              const role = roles[step.role] as string;
              await change(step.setting.replaceAll(/\bROLE\b(?! ROLE)/g, role));
              await close(program(step.role));
              programs[step.role] = open(role);
            } else if ("setting" in step)
              await change(step.setting.replaceAll(/\bROLE\b(?! ROLE)/g, roles[step.role] as string));
            else if ("change" in step)
              await program(step.role)
                .plain.query(step.change.replaceAll("OF_USER", known.isSpread ? ", user_id" : ""))
                .catch(refused);
            else if ("fold" in step) await program(step.fold).questions.foldAll(2).catch(refused);
            else if ("recount" in step)
              await recount(program(step.recount).connection, known.names).then(
                ({ wrongUsers, wrongTotals }) =>
                  expect({ wrongUsers, wrongTotals }).toEqual({ wrongUsers: [], wrongTotals: false }),
                (error: unknown) =>
                  expect(error).toMatchObject({ code: expect.stringMatching(/42501|PERDURA_STORAGE/) }),
              );
            else {
              await check(program(step.ask), known);
              await checkBreakdowns(program(step.ask), known);
            }
          }
          for (const each of programs) {
            await check(each, known);
            await checkBreakdowns(each, known);
          }
          await change(`ALTER TABLE interactions NO FORCE ROW LEVEL SECURITY`);
          for (const table of ["interaction_metadata", ...SUMS])
            await change(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
          await change(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA perdura TO ${owner}`);
          expect(await recount(program(0).connection, known.names)).toMatchObject({
            wrongUsers: [],
            wrongTotals: false,
          });
          await program(0).questions.foldAll();
          expect(await recount(program(0).connection, known.names)).toMatchObject({
            wrongUsers: [],
            wrongTotals: false,
          });
          await check(program(0), known);
          await checkBreakdowns(program(0), known);
        }),
        { numRuns: runs(6) },
      );
    },
  );
});
