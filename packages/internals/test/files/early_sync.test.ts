import { fdatasync, mkdirSync, openSync, closeSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { EarlySync } from "../../src/files/early_sync.ts";
import { freshFolder } from "./folder.ts";
import { openFilesIn } from "./open_files_in.ts";

const ENOUGH = 1 << 22;

/** A folder with a file, and another one to ask the disk by. */
function place(): { folder: string; path: string; diskAnswered: () => Promise<void> } {
  const top = freshFolder();
  const folder = join(top, "folder");
  mkdirSync(folder);
  const [path, other] = [join(folder, "file"), join(top, "other")];
  for (const name of [path, other]) writeFileSync(name, "content");
  return { folder, path, diskAnswered: () => syncOften(other) };
}

/** The disk has answered what was asked before, once it has answered so often what was asked after. */
async function syncOften(path: string): Promise<void> {
  const descriptor = openSync(path, "r");
  for (let time = 0; time < 20; time += 1) await promisify(fdatasync)(descriptor);
  closeSync(descriptor);
}

describe.runIf(process.platform === "linux")("an early sync", () => {
  test("has its file open once there is enough to sync, until it is told the end", async () => {
    const { folder, path, diskAnswered } = place();
    const sync = new EarlySync(path);
    sync.wrote(ENOUGH - 1);
    expect(openFilesIn(folder)).toBe(0);
    sync.wrote(1);
    expect(openFilesIn(folder)).toBe(1);
    await diskAnswered();
    expect(openFilesIn(folder)).toBe(1);
    sync.wrote(ENOUGH);
    expect(openFilesIn(folder)).toBe(1);
    sync.end();
    await diskAnswered();
    expect(openFilesIn(folder)).toBe(0);
  });

  test("keeps its file open while the disk is still asked, and counts from nought after each time", async () => {
    const { folder, path, diskAnswered } = place();
    const sync = new EarlySync(path);
    sync.wrote(ENOUGH + 5);
    sync.end();
    expect(openFilesIn(folder)).toBe(1);
    await diskAnswered();
    expect(openFilesIn(folder)).toBe(0);
    const another = new EarlySync(path);
    another.wrote(ENOUGH - 1);
    another.end();
    await diskAnswered();
    expect(openFilesIn(folder)).toBe(0);
  });

  test("is closed at once where the disk has answered by the end", async () => {
    const { folder, path, diskAnswered } = place();
    const sync = new EarlySync(path);
    sync.wrote(ENOUGH);
    await diskAnswered();
    sync.end();
    expect(openFilesIn(folder)).toBe(0);
  });

  test("is left out where four files wait for the disk, and comes back", async () => {
    const { folder, path, diskAnswered } = place();
    for (const round of [1, 2]) {
      const all = Array.from({ length: 6 }, () => new EarlySync(path));
      for (const sync of all) sync.wrote(ENOUGH);
      expect({ round, open: openFilesIn(folder) }).toEqual({ round, open: 4 });
      for (const sync of all) sync.end();
      await diskAnswered();
      expect({ round, open: openFilesIn(folder) }).toEqual({ round, open: 0 });
    }
  });

  test("does without a file that cannot be opened", async () => {
    const { folder, path, diskAnswered } = place();
    rmSync(path);
    const sync = new EarlySync(path);
    sync.wrote(ENOUGH);
    sync.end();
    await diskAnswered();
    expect(openFilesIn(folder)).toBe(0);
    // It is not counted as one of the four.
    writeFileSync(path, "content");
    const all = Array.from({ length: 4 }, () => new EarlySync(path));
    for (const one of all) one.wrote(ENOUGH);
    expect(openFilesIn(folder)).toBe(4);
    for (const one of all) one.end();
    await diskAnswered();
  });
});
