import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type MigrationOptions, type MigrationReport, planMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "./migrate.ts";
import { freshFolder } from "./folder.ts";
import { connect, FIELD_B, query } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "./report_schema.ts";

/** A state in the form of the specification, which has a field for the level. */
export const documented = (user: string, level: unknown): string =>
  JSON.stringify({ user_id: user, trust_level: 0.5, current_level: level, target_level: 4 });

/** A state in the form of the field programs. */
export const field = (user: string): string =>
  JSON.stringify({ user_id: user, trust_level: 0.5, total_interactions: 7, trust_trajectory: [0.5] });

/** A folder with a database with rows of the users in turn, and their states. */
export function layOutStates(
  users: readonly string[],
  states: Record<string, string>,
): { folder: string; path: string } {
  const folder = freshFolder();
  const path = join(folder, "m.db");
  const database = connect(path);
  database.exec(FIELD_B);
  const insert = database.prepare("INSERT INTO metrics (user_id, success, metadata) VALUES (?, 1, ?)");
  for (let turn = 0; turn < 3; turn += 1) for (const user of users) insert.run(user, turn === 1 ? "{}" : null);
  database.close();
  writeStates(join(folder, "empathy_state"), states);
  return { folder, path };
}

/** A directory of states by name. */
export function writeStates(directory: string, states: Record<string, string>): void {
  mkdirSync(directory);
  for (const [name, text] of Object.entries(states)) writeFileSync(join(directory, `${name}.json`), text);
}

/** Plans, then migrates: both reports must agree, and a later verification must succeed. */
export async function upAsPlanned(target: string | string[], options: MigrationOptions): Promise<MigrationReport> {
  const plan = await planMigration(target, options);
  const report = await migrate(target, { ...options, saveReport: false });
  expect([schemaErrors(plan), schemaErrors(report)]).toEqual([[], []]);
  for (const [index, planned] of plan.databases.entries())
    expect(report.databases[index]).toMatchObject({
      layout: planned.layout,
      steps: planned.steps,
      assumed_levels: planned.assumed_levels,
      missing_levels: planned.missing_levels,
      notes: planned.notes,
    });
  if (report.exit_code === 0) expect((await verifyMigration(target)).exit_code).toBe(0);
  return report;
}

/** User, level, and number of rows. */
export const levelsByUser = (path: string): [string, bigint, bigint][] =>
  query(path, "SELECT user_id, level, count(*) FROM interactions GROUP BY 1, 2 ORDER BY 1");
