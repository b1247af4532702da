import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CASE_INSENSITIVE } from "../../../../test/case_insensitive.ts";
import {
  extractArchivedStates,
  planMigration,
  pruneMigration,
  downgradeMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { stateText } from "../../../../test/legacy/unusual_states.ts";

/** Archives states and directories (with a trailing `/`) on a case-sensitive file system. */
async function archiveOf(...files: string[]): Promise<string> {
  const directory = join(freshFolder(), "empathy_state");
  for (const file of files) {
    mkdirSync(join(directory, file.slice(0, file.lastIndexOf("/") + 1)), { recursive: true });
    if (!file.endsWith("/")) writeFileSync(join(directory, file), stateText(file.slice(0, -".json".length)));
  }
  const report = await migrate(directory, { saveReport: false });
  expect(report).toMatchObject({ exit_code: 0, state_directories: [{ status: "archived" }] });
  return report.state_directories[0]?.archive?.path ?? "";
}

describe.each(CASE_INSENSITIVE)("archives of states on $kind that ignores case", ({ open }) => {
  test.for([
    [["alice.json", "Alice.json", "bob.json"], '"Alice.json" and "alice.json"'],
    [["inner/a.json", "Inner/b.json"], '"Inner" and "inner"'],
    [["a.json", "inner/", "INNER/"], '"INNER" and "inner"'],
    [["Jos\u00e9.json", "Jos\u00c9.json"], '"Jos\u00c9.json" and "Jos\u00e9.json"'],
  ] as const)("of %j are not written, and the error lists the names", async ([files, names], context) => {
    const archive = await archiveOf(...files);
    const folder = open(context);
    const target = join(folder, "looked_at");
    await expect(extractArchivedStates(archive, target)).rejects.toMatchObject({
      code: "PERDURA_VALIDATION",
      message: expect.stringContaining(`${names}. Nothing was written.`),
    });
    expect(readdirSync(folder)).toEqual([]);
    const directory = join(folder, "empathy_state");
    copyFileSync(archive, `${directory}.v15.sqlar`);
    expect(await downgradeMigration(directory, { saveReport: false })).toMatchObject({
      exit_code: 3,
      state_directories: [{ status: "refused", reason: expect.stringContaining(names), restored: 0 }],
    });
    expect(readdirSync(folder)).toEqual(["empathy_state.v15.sqlar"]);
  });

  test("a file with a name in other case is a difference", async (context) => {
    const directory = join(open(context), "empathy_state");
    mkdirSync(directory);
    for (const user of ["alice", "bob"]) writeFileSync(join(directory, `${user}.json`), stateText(user));
    expect(await migrate(directory, { saveReport: false })).toMatchObject({ exit_code: 0 });
    renameSync(join(directory, "alice.json"), join(directory, "Alice.json"));
    expect(readdirSync(directory).toSorted()).toEqual(["Alice.json", "bob.json"]);
    expect(await verifyMigration(directory)).toMatchObject({
      state_directories: [{ status: "differs", differences: ["Alice.json is only in the directory"] }],
    });
    expect(await pruneMigration(directory)).toMatchObject({ state_directories: [{ status: "refused" }] });
    rmSync(join(directory, "bob.json"));
    expect(await downgradeMigration(directory, { saveReport: false })).toMatchObject({
      state_directories: [{ notes: expect.arrayContaining([expect.stringMatching(/other files: alice\.json$/)]) }],
    });
    expect(readFileSync(join(directory, "Alice.json"), "utf8")).toBe(stateText("alice"));
  });

  test("finds a missing directory by its archive in any spelling", async (context) => {
    const folder = open(context);
    const directory = join(folder, "empathy_state");
    mkdirSync(directory);
    writeFileSync(join(directory, "alice.json"), stateText("alice"));
    expect(await migrate(join(folder, "Empathy_State"), { saveReport: false })).toMatchObject({
      state_directories: [{ path: directory, status: "archived" }],
    });
    rmSync(directory, { recursive: true });
    expect(await planMigration(join(folder, "EMPATHY_STATE"))).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(join(folder, "EMPATHY_STATE"), { saveReport: false })).toMatchObject({
      state_directories: [{ path: directory }],
    });
  });
});
