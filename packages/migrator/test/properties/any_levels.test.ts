import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type MissingLevelOption, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { ALL_TABLES, useLayout } from "../layouts/layout_suite.ts";
import { MADE_UP_LAYOUT } from "../layouts/made_up_layouts.ts";
import { oldTable } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, query } from "../../../../test/legacy/legacy_database.ts";
import { RUNS } from "./runs.ts";

const USERS = ["alice", "Alice", "Ju\u0308rgen"];
const level = fc.integer({ min: 1, max: 5 });

/** Layouts without levels. */
const TABLES = [
  ...ALL_TABLES.filter(({ names }) => names.level === undefined),
  oldTable({ ...MADE_UP_LAYOUT, columns: { ...MADE_UP_LAYOUT.columns, level: null } }),
];

const example = fc.record({
  old: fc.constantFrom(...TABLES),
  rows: fc.array(fc.record({ user: fc.constantFrom(...USERS), metadata: fc.boolean() }), { maxLength: 20 }),
  deleted: fc.array(fc.nat(20), { maxLength: 4 }),
  kept: fc.option(
    fc.dictionary(fc.integer({ min: 1, max: 22 }).map(String), fc.integer({ min: 0, max: 6 }), { maxKeys: 8 }),
  ),
  states: fc.dictionary(fc.constantFrom(...USERS), fc.oneof(level, fc.constant(7), fc.constant(undefined)), {
    maxKeys: 3,
  }),
  collation: fc.constantFrom("", " COLLATE NOCASE"),
  journal: fc.constantFrom("delete", "wal"),
  option: fc.oneof(
    level.map((one) => one as MissingLevelOption),
    { weight: 3, arbitrary: level.map((one) => `from-state,${one}` as MissingLevelOption) },
    fc.constantFrom<MissingLevelOption>("from-state", "abort"),
  ),
});

const usable = (one: number | undefined): number | undefined =>
  one !== undefined && one >= 1 && one <= 5 ? one : undefined;

test("gives each row the first level of kept ones, states and option, or changes nothing", async () => {
  const folder = freshFolder();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(example, async ({ old, rows, deleted, kept, states, collation, journal, option }) => {
      useLayout(old);
      const { table, names, create } = old;
      const place = join(folder, String((run += 1)));
      const path = join(place, "m.db");
      mkdirSync(join(place, "attune_state"), { recursive: true });
      for (const [user, current] of Object.entries(states))
        writeFileSync(
          join(place, "attune_state", `${user}.json`),
          JSON.stringify({ user_id: user, trust_level: 1, current_level: current }),
        );
      const database = connect(path);
      database.exec(`PRAGMA journal_mode = ${journal}; ${create.replace(`${names.user_id} TEXT`, `$&${collation}`)}`);
      for (const { user, metadata } of rows)
        database
          .prepare(`INSERT INTO ${table} (${names.user_id}, ${names.success}, ${names.metadata}) VALUES (?, 1, ?)`)
          .run(user, metadata ? "{}" : null);
      if (deleted.length > 0) database.exec(`DELETE FROM ${table} WHERE id IN (${deleted.join(", ")})`);
      if (kept !== null) {
        database.exec("CREATE TABLE perdura_kept_levels (id INTEGER PRIMARY KEY, level)");
        for (const [id, one] of Object.entries(kept))
          database.prepare("INSERT INTO perdura_kept_levels VALUES (?, ?)").run(Number(id), BigInt(one));
      }
      const left = database.prepare(`SELECT id, ${names.user_id} FROM ${table} ORDER BY id`).raw().all() as [
        number,
        string,
      ][];
      database.close();

      const asks = String(option).startsWith("from-state");
      const otherwise = usable(Number(String(option).replace("from-state,", "")));
      const sources = left.map(([id, user]): [string, number | undefined][] => [
        ["kept", usable(kept?.[id])],
        ["state", asks ? usable(states[user]) : undefined],
        ["option", otherwise],
      ]);
      const chosen = sources.map((choices) => choices.find(([, one]) => one !== undefined));
      const expected = chosen.map((choice) => choice?.[1]);
      const plan = await planMigration(path, { missingLevel: option, stateDirectories: [join(place, "attune_state")] });
      const report = await migrate(path, {
        missingLevel: option,
        stateDirectories: [join(place, "attune_state")],
        saveReport: false,
      });
      expect(report.databases[0]).toMatchObject({
        steps: plan.databases[0]?.steps,
        assumed_levels: plan.databases[0]?.assumed_levels,
        missing_levels: plan.databases[0]?.missing_levels,
      });
      if (expected.includes(undefined)) {
        expect(report.exit_code).toBe(3);
        return void expect(query(path, `SELECT id FROM ${table} ORDER BY id`)).toEqual(
          left.map(([id]) => [BigInt(id)]),
        );
      }
      expect(report).toMatchObject({ exit_code: 0, databases: [{ verification: { differences: [] } }] });
      expect(query(path, "SELECT id, level FROM interactions ORDER BY id")).toEqual(
        left.map(([id], index) => [BigInt(id), BigInt(expected[index] as number)]),
      );
      const shares = report.databases[0]?.assumed_levels.flatMap(({ source, level: one, rows: count }) =>
        Array.from({ length: count }, () => `${source} ${one}`),
      );
      expect(shares?.toSorted()).toEqual(chosen.map((choice) => choice?.join(" ")).toSorted());
      expect((await verifyMigration(path)).exit_code).toBe(0);
    }),
    { numRuns: 30 * RUNS },
  );
});
