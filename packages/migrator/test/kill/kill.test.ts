import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readContent } from "../../../../fixtures/database_content.ts";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { endOf, startProgram } from "../support/program.ts";
import { triedSteps } from "./tried_steps.ts";

/** A database with invalid rows, objects of the user, and a directory of states. */
function layOut(): { folder: string; states: string; databases: string[] } {
  const folder = freshFolder();
  const databases = ["field-a-invalid.db", "field-a-user-objects.db", "documented-15-user-objects.db"].map((name) => {
    copyFileSync(fixture("legacy", name), join(folder, name));
    return join(folder, name);
  });
  const states = join(folder, "empathy_state");
  layOutStates("broken", states);
  return { folder, states, databases };
}

/** Content without the time of the migration, which differs between two runs. */
const content = (path: string): string =>
  JSON.stringify(readContent(path)).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(a time)");
const end = layOut();
const original = end.databases.map(content);
/** Counted in one complete run. */
let steps = 0;
const whole = await migrate(end.folder, { invalidRows: "quarantine", onProgress: () => (steps += 1) });
expect(whole).toMatchObject({ exit_code: 0 });
const migrated = end.databases.map(content);

/** Number of steps of every complete run; one more is a run that is not killed. */
const STEPS = 50;

test.each(triedSteps(STEPS))(
  "killed at step %i, the data is completely old or completely new, and the next run finishes",
  async (step) => {
    const { folder, states, databases } = layOut();
    const statesBefore = stampOf(states);
    expect(await endOf(startProgram("dying_migration.ts", folder, String(step)))).toBe("SIGKILL");
    // Content for a reader; opening a database rolls an unfinished transaction back.
    const found = databases.map(content);
    for (const [index, text] of found.entries()) expect([original[index], migrated[index]]).toContain(text);
    expect(await migrate(folder, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
    expect(databases.map(content)).toEqual(migrated);
    expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0 });
    expect(stampOf(states)).toBe(statesBefore);
    expect(readdirSync(folder).filter((name) => name.includes("perdura-tmp") || name.includes("journal"))).toEqual([]);
    for (const path of databases)
      expect([`${path}.v15.bak`, `${path}.v15.2.bak`].map(existsSync)).toEqual([true, false]);
  },
);

test("the tested steps are all steps", () => {
  expect(steps).toBe(STEPS);
});
