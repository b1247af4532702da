import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  migrationStatus,
  planMigration,
  type ProgressEvent,
  pruneMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { stateText } from "../../../../test/legacy/unusual_states.ts";
import { canRunAsUser, giveToUser, runAsUser } from "../support/other_user.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";
import { needs } from "../../../../test/needs.ts";

/** An archived directory of states with directories in it. */
async function archived(): Promise<{ folder: string; directory: string }> {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  for (const name of ["own", "other"]) mkdirSync(join(directory, name), { recursive: true });
  for (const name of ["a.json", "own/b.json", "other/c.json"])
    writeFileSync(join(directory, name), stateText("x"), { mode: 0o644 });
  chmodSync(folder, 0o755);
  return { folder, directory };
}

const isSuperuser = process.geteuid?.() === 0;

describe(
  "users remove nothing from a directory that is not completely theirs",
  needs("root", !isSuperuser || !canRunAsUser()),
  () => {
    test.each<[what: string, forbid: (directory: string) => string]>([
      ["in a place of another user", (directory) => owned(join(directory, ".."), 0o755)],
      [
        "in a sticky place of another user",
        (directory) => owned(directory, 0o777, owned(join(directory, ".."), 0o1777)),
      ],
      ["that belongs to another user", (directory) => owned(directory, 0o755)],
      ["with a directory of another user in it", (directory) => owned(join(directory, "other"), 0o755)],
      [
        "with a sticky directory of another user in it",
        (directory) => {
          chownSync(join(directory, "other", "c.json"), 0, 0);
          owned(join(directory, "other"), 0o1777);
          return join(directory, "other", "c.json");
        },
      ],
    ])("%s", async (_what, forbid) => {
      const { folder, directory } = await archived();
      giveToUser(folder);
      const named = forbid(directory);
      expect((await migrate(folder)).exit_code).toBe(0);
      chmodSync(`${directory}.v15.sqlar`, 0o644);
      const before = treeStamp(folder);
      for (const words of [["--dry-run"], ["--yes"]]) {
        const { code, stdout } = runAsUser("prune", "--json", ...words, folder);
        expect(code).toBe(3);
        expect(JSON.parse(stdout)).toMatchObject({
          state_directories: [
            { status: "refused", removed: 0, reason: expect.stringContaining(`completely: ${named} (`) },
          ],
        });
      }
      expect(treeStamp(folder)).toBe(before);
    });

    test("users remove their own read-only directories", async () => {
      const { folder, directory } = await archived();
      giveToUser(folder);
      chmodSync(join(directory, "own"), 0o555);
      expect(runAsUser("up", "-q", folder).code).toBe(0);
      expect(runAsUser("prune", "--yes", folder)).toMatchObject({ code: 0 });
      expect(existsSync(directory)).toBe(false);
    });

    test("users remove a directory of another user if its permissions allow it", async () => {
      const { folder, directory } = await archived();
      giveToUser(folder);
      for (const path of [folder, directory]) owned(path, 0o777);
      expect((await migrate(folder)).exit_code).toBe(0);
      chmodSync(`${directory}.v15.sqlar`, 0o644);
      expect(runAsUser("prune", "--yes", folder)).toMatchObject({ code: 0 });
      expect(existsSync(directory)).toBe(false);
    });
  },
);

/** Gives a directory to the superuser, with a mode; returns its path. `_before` is a call for another directory. */
function owned(path: string, mode: number, _before?: string): string {
  chownSync(path, 0, 0);
  chmodSync(path, mode);
  return path;
}

/**
 * Sets or clears an attribute that stops even the superuser: `i` for an immutable file, `a` for an append-only
 * directory.
 */
function attribute(change: "+i" | "-i" | "+a" | "-a", path: string): boolean {
  return spawnSync("chattr", [change, path]).status === 0;
}

function canSetAttributes(): boolean {
  const path = join(freshFolder(), "x");
  writeFileSync(path, "");
  return isSuperuser && attribute("+i", path) && attribute("-i", path);
}

const leftIn = (folder: string): string | undefined => readdirSync(folder).find((name) => name.startsWith(".pruned"));

describe("if an entry cannot be removed", needs("attributes", !canSetAttributes()), () => {
  test("and none was removed before, the directory is unchanged", async () => {
    const { folder, directory } = await archived();
    chmodSync(join(directory, "own"), 0o500);
    expect((await migrate(folder)).exit_code).toBe(0);
    const stuck = ["a.json", "own/b.json", "other/c.json"].map((name) => join(directory, name));
    for (const path of stuck) attribute("+i", path);
    const report = await pruneMigration(folder);
    for (const path of stuck) attribute("-i", path);
    expect(report).toMatchObject({
      exit_code: 1,
      summary: "Nothing was removed: 1 failed.",
      state_directories: [{ status: "failed", removed: 0 }],
    });
    expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0 });
    expect(await pruneMigration(folder)).toMatchObject({ exit_code: 0 });
    expect(existsSync(directory)).toBe(false);
  });

  test("after others were removed, reports their number and the place of the rest, which the next run removes", async () => {
    const folder = freshFolder();
    const directory = join(folder, "empathy_state");
    mkdirSync(join(directory, "grows", "inner"), { recursive: true });
    writeFileSync(join(directory, "grows", "inner", "a.json"), stateText("x"));
    expect((await migrate(folder)).exit_code).toBe(0);
    attribute("+a", join(directory, "grows"));
    const report = await pruneMigration(folder);
    const left = join(folder, leftIn(folder) ?? "nothing");
    attribute("-a", join(left, "grows"));
    expect(report).toMatchObject({
      exit_code: 1,
      summary: "Partly removed: 1 failed.",
      state_directories: [{ status: "failed", removed: 1, reason: expect.stringContaining(`are in ${left}.`) }],
      report_path: expect.any(String),
    });
    expect(report.state_directories[0]?.reason).toMatch(/1 entry was already removed, and is in the archive/);
    const note = [expect.stringContaining(left)];
    expect(await migrationStatus(directory)).toMatchObject({ state_directories: [{ notes: note }] });
    expect(await verifyMigration(folder)).toMatchObject({ state_directories: [{ notes: note }] });
    expect((await planMigration(folder)).left_alone).toContainEqual({
      path: left,
      reason: expect.stringContaining("prune"),
    });
    // As if another process had left it: this one still runs.
    renameSync(left, left.replace(/-\d+-/, "-999999999-"));
    const reported: string[] = [];
    const onProgress = ({ stage, detail }: ProgressEvent): void => void reported.push(`${stage}: ${detail}`);
    expect(await pruneMigration(folder, { onProgress })).toMatchObject({ exit_code: 0 });
    expect(reported).toContain("prune: comparing the files of an interrupted run with the archive");
    expect(leftIn(folder)).toBeUndefined();
  });
});
