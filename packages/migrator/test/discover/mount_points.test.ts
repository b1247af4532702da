import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  compactDatabases,
  downgradeMigration,
  forgetData,
  makeSums,
  planMigration,
  pruneMigration,
  type MigrationOptions,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { canMount, mount } from "../../../../test/mounts.ts";
import { needs } from "../../../../test/needs.ts";

const REFUSED = {
  exit_code: 3,
  databases: [{ status: "refused", reason: expect.stringMatching(/ file is a mount point.* bind its directory/) }],
};

/** A file in a folder of its own, on which a file of another folder is mounted, as containers do it. */
function mounted(name: string, make: (path: string) => void): string {
  const [outside, path] = [join(freshFolder(), name), join(freshFolder(), name)];
  make(outside);
  writeFileSync(path, "");
  mount("--bind", outside, path);
  return path;
}

/** `plan`, `up` and its rehearsal refuse; nothing is changed. */
async function expectRefusal(path: string, options: MigrationOptions = {}): Promise<void> {
  const before = stampOf(join(path, ".."));
  expect(await planMigration(path, options)).toMatchObject(REFUSED);
  expect(await migrate(path, { ...options, rehearse: true })).toMatchObject(REFUSED);
  expect(await migrate(path, options)).toMatchObject(REFUSED);
  expect(stampOf(join(path, ".."))).toBe(before);
}

const LIBRARY = '{"patterns": [{"id":"p","agent_id":"a","pattern_type":"w","name":"n","context":{"x":NaN}}]}\n';

describe("a single file that is a mount point", needs("mount", !canMount()), () => {
  test("is refused by the plan if it is a database, whatever its name", async () => {
    for (const name of ["m.db", "a b\\\n\t040ü.db"]) {
      const path = mounted(name, (outside) => makeDatabase(outside, DOCUMENTED_15));
      await expectRefusal(path);
    }
  });

  test("is refused by the plan if it is a library to repair, and accepted if nothing is to be done", async () => {
    await expectRefusal(
      mounted("patterns.json", (outside) => writeFileSync(outside, LIBRARY)),
      { nonFinite: "null" },
    );
    const valid = mounted("patterns.json", (outside) => writeFileSync(outside, LIBRARY.replace("NaN", "1")));
    expect(await planMigration(valid)).toMatchObject({ exit_code: 0, databases: [] });
  });

  test("is refused by down", async () => {
    const folder = freshFolder();
    const paths = ["m.db", "patterns.json"].map((name) => join(folder, name)) as [string, string];
    makeDatabase(paths[0], DOCUMENTED_15);
    writeFileSync(paths[1], LIBRARY);
    expect(await migrate(folder, { nonFinite: "null" })).toMatchObject({ exit_code: 0 });
    for (const path of paths) {
      mount("--bind", path, path);
      expect(await downgradeMigration(path)).toMatchObject(REFUSED);
    }
    const forget = (path: string): unknown => forgetData(path, { userId: "ann" });
    for (const command of [compactDatabases, makeSums, forget]) expect(await command(paths[0])).toMatchObject(REFUSED);
  });

  test("is refused by prune if it is a backup", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, DOCUMENTED_15);
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    const backup = `${path}.v15.bak`;
    mount("--bind", backup, backup);
    const before = stampOf(join(path, ".."));
    for (const dryRun of [true, false])
      expect(await pruneMigration(path, { pruneBackups: true, dryRun })).toMatchObject({
        exit_code: 3,
        databases: [{ status: "refused", removed: [], reason: expect.stringContaining(`${backup} (a mount point)`) }],
      });
    expect(stampOf(join(path, ".."))).toBe(before);
  });
});
