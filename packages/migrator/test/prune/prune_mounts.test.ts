import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { downgradeMigration, migrate, pruneMigration } from "../../src/index.ts";
import { makeUnusualStates } from "../../../../test/legacy/unusual_states.ts";
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
