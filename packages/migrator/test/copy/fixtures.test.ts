import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import Database from "better-sqlite3";
import { beforeAll, expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { type CopyReport, copyData, type MigrationOptions } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { copyDatabase, legacyAnswers, optionsOf } from "../../../../test/legacy/legacy_fixtures.ts";
import { newSchema } from "./both_sides.ts";
import { REFUSED } from "./refused_fixtures.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";

const NAMES = ["legacy", "libraries", "metrics", "invalid"].flatMap((folder) =>
  readdirSync(fixture(folder))
    .filter((name) => name.endsWith(".db"))
    .map((name) => `${folder}/${name}`),
);

const COLUMNS = {
  patterns:
    "rowid, id, agent_id, pattern_type, name, description, context, code, confidence, usage_count, success_count, failure_count, tags, discovered_at, last_used, updated_at",
  pattern_usage: "id, pattern_id, agent_id, success, used_at",
  interactions: "id, user_id, level, success, response_time_ms, timestamp",
  interaction_metadata: "interaction_id, metadata",
};

/** Every value of every row with its type; a missing table has no rows. */
function rowsOf(path: string): Record<string, unknown[]> {
  const database = new Database(path);
  const rows: Record<string, unknown[]> = {};
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const there = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table);
    const values = columns.split(", ").flatMap((column) => [column, `typeof(${column})`]);
    const select = `SELECT ${values.join(", ")} FROM ${table} ORDER BY 1`;
    rows[table] = there === undefined ? [] : database.prepare(select).raw().safeIntegers().all();
  }
  database.close();
  return rows;
}

/** Reasons of a refusal; empty if everything was copied. */
function reasonsOf(report: CopyReport | Error): string[] {
  if (report instanceof Error) return [report.message];
  if (report.exit_code === 0) return [];
  expect(report).toMatchObject({ exit_code: 3, verified: false });
  const faults = report.faults.map(({ table, column, reason }) => `${table}.${column}: ${reason}`);
  return faults.length === 0 ? [report.summary] : [...new Set(faults)].toSorted();
}

/** Deletes the rows that cannot be copied. */
function removeFaulty(path: string, { faults }: CopyReport): void {
  const database = new Database(path);
  const metadata = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'interaction_metadata'").get();
  for (const { table, key } of faults) {
    const column = COLUMNS[table as keyof typeof COLUMNS].split(", ").find((name) => name !== "rowid");
    database.prepare(`DELETE FROM ${table} WHERE CAST(${column} AS TEXT) = ?`).run(key);
    if (table === "interactions" && metadata !== undefined)
      database.prepare("DELETE FROM interaction_metadata WHERE interaction_id = ?").run(key);
  }
  database.close();
}

/** Decisions for a pre-16 database; undefined for one that `up` does not concern, or refuses. */
function optionsFor(name: string): MigrationOptions | undefined {
  if (/^metrics\/.*-16\.db$|^(?:libraries|invalid)\//.test(name)) return undefined;
  if (name.startsWith("metrics/")) return {};
  const answer = legacyAnswers(name.slice("legacy/".length, -".db".length)).migrated.at(-1);
  return answer === undefined || answer.outcome === "refused" ? undefined : optionsOf(answer);
}

describeWithPostgres("the databases of the fixtures", (postgres) => {
  const migrated = new Map<string, string>();
  // Databases after `up`; those with the same options share a directory.
  beforeAll(async () => {
    for (const names of Map.groupBy(NAMES, (name) => JSON.stringify(optionsFor(name))).values()) {
      const options = optionsFor(names[0] as string);
      const folder = freshFolder();
      // As explicit targets, none of them counts as a copy of another.
      const paths: string[] = [];
      for (const name of names) {
        const path = join(folder, name.replace("/", "-"));
        copyDatabase(fixture(...name.split("/")), path);
        migrated.set(name, path);
        paths.push(path);
      }
      if (options !== undefined)
        expect(await migrate(paths, { ...options, saveReport: false })).toMatchObject({ exit_code: 0 });
    }
  });

  test.each(NAMES)("copies %s in both directions, or refuses it with a reason", async (name) => {
    const folder = freshFolder();
    const source = join(folder, "source.db");
    copyDatabase(fixture(...name.split("/")), source);
    const schema = newSchema();
    const decided = optionsFor(name) ?? {};
    const first = await copyData(source, postgres.url, { schema, ...decided }).catch((error: unknown) => {
      if (isPerduraError(error)) return error as Error;
      throw error;
    });
    const reasons = reasonsOf(first);
    const stated = REFUSED.get(name) ?? [];
    // The sentence begins with the name of the file.
    expect(reasons.map((reason) => stated.find((end) => reason.endsWith(end)) ?? reason)).toEqual(stated.toSorted());
    if (first instanceof Error || (first.exit_code !== 0 && first.faults.length === 0)) return;

    // The migrated database must come back equal, without the rows that cannot be copied.
    const path = migrated.get(name) as string;
    for (let report = first; report.exit_code !== 0; report = await copyData(path, postgres.url, { schema }))
      removeFaulty(path, report);
    const back = join(folder, "back.db");
    const came = await copyData(postgres.url, back, { schema }).catch((error: unknown) => error);
    expect(came).toMatchObject({ exit_code: 0, verified: true });
    expect(rowsOf(back)).toEqual(rowsOf(path));
  });

  test("every listed refusal names a fixture", () => {
    expect([...REFUSED.keys()].filter((name) => !NAMES.includes(name))).toEqual([]);
  });
});
