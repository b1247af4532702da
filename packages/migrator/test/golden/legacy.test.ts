import { basename } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { LegacyAnswers, MigratedAnswer } from "../../../../fixtures/expected.ts";
import type { DatabaseReport, ItemStatus } from "../../src/index.ts";
import { schemaErrors } from "../support/report_schema.ts";
import { expectFenced, expectMigrated, expectSameDatabase } from "./expect_migrated.ts";
import { journeyOf, type Journey, reportOn, type Stop } from "./journey.ts";
import { LEGACY_NAMES, legacyAnswers, optionsOf, optionWords } from "../../../../test/legacy/legacy_fixtures.ts";

/** A database with the result of its migration with certain options. */
interface Case {
  name: string;
  answer: MigratedAnswer;
  answers: LegacyAnswers;
}

/** Databases that share a directory: with the same options, and either all or none of them refused. */
const groups = Map.groupBy(
  LEGACY_NAMES.flatMap((name): Case[] => {
    const answers = legacyAnswers(name);
    return answers.migrated.map((answer) => ({ name, answer, answers }));
  }),
  ({ answer }) => `up${optionWords(answer)}${answer.outcome === "refused" ? ", which is refused" : ""}`,
);

/** Fields of a plan that the report of `up` must repeat. */
const promised = (report: DatabaseReport | undefined): Partial<DatabaseReport> | undefined =>
  report && {
    reason: report.reason,
    layout: report.layout,
    layout_title: report.layout_title,
    tables: report.tables,
    unusual_rows: report.unusual_rows,
    missing_levels: report.missing_levels,
    assumed_levels: report.assumed_levels,
    merged: report.merged,
    steps: report.steps,
    notes: report.notes,
  };

describe.each([...groups].map(([title, cases]) => ({ title, cases })))("$title", ({ cases }) => {
  const { answer: first } = cases[0] as Case;
  const refused = first.outcome === "refused";
  let journey: Journey;
  beforeAll(async () => {
    const names = cases.map(({ name }) => name);
    journey = await journeyOf(names, optionsOf(first));
  });

  test("plan and verify change no byte, time or name", () => {
    expect(journey.afterPlan).toBe(journey.beforePlan);
    expect(journey.afterVerify).toBe(journey.afterUp);
    if (refused) expect(journey.afterUp).toBe(journey.beforePlan);
  });

  test("a second run changes no byte", () => {
    expect(journey.second).toMatchObject({ exit_code: refused ? 3 : 0, report_path: null });
    expect(journey.afterSecond).toBe(journey.afterVerify);
  });

  test("the reports match their schema", () => {
    const { plan, up, verify, second, down } = journey;
    expect([plan, up, verify, second, down].flatMap(schemaErrors)).toEqual([]);
    expect([plan, up].map(({ exit_code: code }) => code)).toEqual(refused ? [3, 3] : [0, 0]);
  });

  describe.each(cases)("$name", ({ name, answer, answers: { layout, metrics_tables: tables, content, views } }) => {
    const statuses = (commands: readonly ("plan" | "up" | "verify" | "second" | "down")[]): unknown[] =>
      commands.map((command) => reportOn(name, journey[command])?.status);

    test("the file has the content that the generator states", () => {
      expect(journey.before[name]?.content).toEqual(content);
    });

    test("plan reports what up does", () => {
      const { plan, up } = journey;
      const [planned, done] = [reportOn(name, plan), reportOn(name, up)];
      const named: ItemStatus[] =
        answer.outcome === "migrated" ? ["planned", "migrated"] : [answer.outcome, answer.outcome];
      if (layout === "empty") expect(up.left_alone.map(({ path }) => basename(path))).toContain(`${name}.db`);
      else expect(statuses(["plan", "up"]), planned?.reason ?? done?.reason ?? "").toEqual(named);
      expect(promised(done)).toEqual(promised(planned));
      if (layout !== "empty") expect(done?.layout).toBe(layout === "field-patterns" ? "patterns" : layout);
    });

    test("plan counts all rows and the unusual ones", () => {
      const planned = reportOn(name, journey.plan);
      for (const { table, row_count: rows } of tables) expect(planned?.tables).toContainEqual({ table, rows });
      const found = Object.fromEntries(
        planned?.unusual_rows.map(({ kind, row_ids: ids }) => [kind, ids.map(Number)]) ?? [],
      );
      const { user_id_not_utf8: _undetected, ...unusual } = tables[0]?.unusual_rows ?? {};
      const firstIds = Object.entries(unusual).map(([kind, ids]) => [kind, ids.slice(0, 5)]);
      expect(found).toMatchObject(Object.fromEntries(firstIds));
    });

    if (answer.outcome !== "migrated") return;

    test("the result is exactly the one that the generator states", () => {
      const [was, is] = [journey.before[name], journey.migrated[name]] as const;
      if (was === undefined || is === undefined) throw new Error(`${name} was not read.`);
      expect(reportOn(name, journey.up)?.verification?.differences).toEqual([]);
      expectMigrated(is.content, answer, content);
      expect(is.marks).toEqual(was.marks);
      for (const [view, rows] of Object.entries(is.views)) {
        // A view that this driver cannot read may be readable for other programs: it stays unchanged unless it had to
        // change.
        const stays = was.views[view] === null && rows === null;
        if (view in views && !stays) expect(rows, view).toEqual(views[view]);
      }
      if (answer.merged !== undefined) expect(reportOn(name, journey.up)?.merged).toMatchObject(answer.merged);
    });

    test("programs that wrote the tables fail", () => {
      const names = tables.map(({ table }) => table);
      expectFenced((journey.migrated[name] as Stop).content, content, names);
    });

    test("verify finds no difference, a second run has nothing to do, and down restores the former content", () => {
      const [verified, downgraded] = [reportOn(name, journey.verify), reportOn(name, journey.down)];
      expect(statuses(["verify", "second", "down"]), verified?.reason ?? downgraded?.reason ?? "").toEqual([
        "verified",
        "nothing_to_do",
        "downgraded",
      ]);
      expect(reportOn(name, journey.second)?.steps).toEqual([]);
      expectSameDatabase(journey.downgraded[name]?.content, content);
      expect(journey.downgraded[name]?.marks).toEqual(journey.before[name]?.marks);
    });
  });
});
