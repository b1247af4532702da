import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { downgradeMigration, extractArchivedStates, forgetData, pruneMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { makeUnusualStates, stateText } from "../../../../test/legacy/unusual_states.ts";
import { needs } from "../../../../test/needs.ts";
import { freshFolder } from "../support/folder.ts";
import { canMount, mount } from "../../../../test/mounts.ts";
import { smallDisk } from "../support/small_disk.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";

describe("a state directory that cannot be renamed", needs("mount", !canMount()), () => {
  test("in a lower layer of an overlay is removed, and restored exactly", async () => {
    // An overlay cannot have another overlay as its upper layer.
    const disk = smallDisk(4);
    const [lower, upper, work, folder] = ["lower", "upper", "work", "merged"].map((name) => join(disk, name)) as [
      string,
      string,
      string,
      string,
    ];
    for (const each of [lower, upper, work, folder]) mkdirSync(each);
    makeUnusualStates(join(lower, "empathy_state"));
    const layers = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
    mount("-t", "overlay", "overlay", "-o", layers, folder);
    const directory = join(folder, "empathy_state");
    const before = treeStamp(directory);
    await migrate(folder);
    expect(await pruneMigration(folder)).toMatchObject({
      exit_code: 0,
      state_directories: [{ status: "pruned", removed: 10 }],
    });
    expect(existsSync(directory)).toBe(false);
    expect(await downgradeMigration(folder)).toMatchObject({ exit_code: 0 });
    expect(treeStamp(directory)).toBe(before);
  });

  test("because it is a mount point is emptied", async () => {
    const folder = freshFolder();
    const directory = join(folder, "empathy_state");
    mkdirSync(directory);
    mount("-t", "tmpfs", "perdura", directory);
    makeUnusualStates(directory);
    const before = treeStamp(directory);
    await migrate(folder);
    expect(await pruneMigration(folder)).toMatchObject({
      exit_code: 0,
      state_directories: [{ status: "pruned", notes: [expect.stringContaining("is a mount point")] }],
    });
    expect(readdirSync(directory)).toEqual([]);
    expect(await downgradeMigration(folder)).toMatchObject({ exit_code: 0 });
    expect(treeStamp(directory)).toBe(before);
  });
});

/** An archived directory of states, in which something is mounted at each of the paths. */
async function archivedWithMounts(...paths: string[]): Promise<{ folder: string; directory: string }> {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  makeUnusualStates(directory);
  writeFileSync(join(directory, "mounted.json"), stateText("mounted"));
  for (const path of paths) mount("--bind", join(directory, path), join(directory, path));
  expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
  return { folder, directory };
}

describe("a mount point in a state directory", needs("mount", !canMount()), () => {
  test.each([
    ["a file", "mounted.json"],
    ["a directory", "inner"],
  ])("that is %s is refused by name, and nothing is removed", async (_what, name) => {
    const { folder, directory } = await archivedWithMounts(name);
    const link = join(freshFolder(), "link");
    symlinkSync(folder, link);
    const before = treeStamp(folder);
    for (const options of [{ dryRun: true }, {}])
      for (const target of [folder, link])
        expect(await pruneMigration(target, options)).toMatchObject({
          exit_code: 3,
          state_directories: [{ status: "refused", reason: expect.stringContaining(`${directory}/${name} (a mount`) }],
        });
    expect(treeStamp(folder)).toBe(before);
  });

  test("is refused if its name is not UTF-8", async () => {
    const { folder, directory } = await archivedWithMounts();
    const shell = (script: string): unknown => spawnSync("sh", ["-c", script, directory]);
    shell('mount --bind "$0"/J*rgen.json "$0"/J*rgen.json');
    onTestFinished(() => void shell('umount "$0"/J*rgen.json'));
    expect(await pruneMigration(folder)).toMatchObject({
      exit_code: 3,
      state_directories: [{ removed: 0, reason: expect.stringContaining("/J\\xfcrgen.json (a mount point)") }],
    });
  });

  test("is kept if it is not archived, with the files next to it removed", async () => {
    const { folder, directory } = await archivedWithMounts();
    const path = join(directory, "metrics.db");
    makeDatabase(path, DOCUMENTED_15);
    mount("--bind", path, path);
    expect(await pruneMigration(folder)).toMatchObject({ state_directories: [{ status: "pruned" }] });
    expect(readdirSync(directory)).toEqual(["metrics.db"]);
  });

  test("is refused as the place of an extraction, before anything is written", async () => {
    const { folder, directory } = await archivedWithMounts();
    const place = join(folder, "extracted");
    mkdirSync(place);
    mount("-t", "tmpfs", "perdura", place);
    const link = join(freshFolder(), "link");
    symlinkSync(place, link);
    for (const target of [place, link])
      await expect(extractArchivedStates(`${directory}.v15.sqlar`, target)).rejects.toThrow(
        expect.objectContaining({
          argument: "directory",
          reason: expect.stringMatching(/is a mount point.* Nothing was written\. Specify a new directory in it/),
        }),
      );
    const inner = join(place, "states");
    expect(await extractArchivedStates(`${directory}.v15.sqlar`, inner)).toMatchObject({ directory: inner });
  });

  test("is refused by forget before rows are deleted", async () => {
    const { folder, directory } = await archivedWithMounts("mounted.json");
    makeDatabase(
      join(folder, "metrics.db"),
      `${DOCUMENTED_15};
      INSERT INTO interactions (user_id, empathy_level, success) VALUES ('mounted', 3, 1)`,
    );
    const before = treeStamp(folder);
    expect(await forgetData(folder, { userId: "mounted" })).toMatchObject({
      exit_code: 3,
      databases: [{ status: "planned" }],
      state_directories: [{ status: "refused", reason: expect.stringContaining(`${directory}/mounted.json (a mount`) }],
    });
    expect(treeStamp(folder)).toBe(before);
  });
});
