import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { layOutLegacy } from "../../../../test/legacy/legacy_fixtures.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { endOf, startProgram } from "../support/program.ts";
import { wholeContent } from "../support/whole_content.ts";
import { triedSteps } from "./tried_steps.ts";

const NAMES = ["field-a-invalid", "documented-15-user-objects"];

/** Migrated databases in which a program of 16 has recorded since; made once, and copied for every run. */
const template = freshFolder();
const templates = NAMES.map((name) => layOutLegacy(name, template));
expect(await migrate(template, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
for (const path of templates) {
  const database = connect(path);
  database.exec(
    "INSERT INTO interactions (user_id, level, success, timestamp) VALUES ('since', 5, 1, '2026-10-20 12:00:00')",
  );
  database.close();
}

function layOut(): { folder: string; databases: string[] } {
  const folder = freshFolder();
  cpSync(template, folder, { recursive: true });
  return { folder, databases: NAMES.map((name) => join(folder, `${name}.db`)) };
}

const end = layOut();
const migrated = end.databases.map(shown);
/** Number of steps of a complete run. */
let steps = 0;
expect(await downgradeMigration(end.folder, { onProgress: () => (steps += 1) })).toMatchObject({ exit_code: 0 });
const downgraded = end.databases.map(shown);

/** Content without the time of the migration, which differs between two runs. */
function shown(path: string): string {
  return JSON.stringify(wholeContent(path)).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(a time)");
}

test.each(triedSteps(steps))(
  "killed at step %i of a downgrade, the data is completely old or completely new, and the next run finishes",
  async (step) => {
    const { folder, databases } = layOut();
    expect(await endOf(startProgram("dying_migration.ts", folder, String(step), "down"))).toBe("SIGKILL");
    for (const [index, path] of databases.entries())
      expect([migrated[index], downgraded[index]]).toContain(shown(path));
    expect(await downgradeMigration(folder)).toMatchObject({ exit_code: 0 });
    expect(databases.map(shown)).toEqual(downgraded);
    expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0 });
    expect(readdirSync(folder).filter((name) => name.includes("perdura-tmp") || name.includes("journal"))).toEqual([]);
    for (const path of databases)
      expect([`${path}.v16.bak`, `${path}.v16.2.bak`].map(existsSync)).toEqual([true, false]);
  },
);
