import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { EarlySync } from "../../src/files/early_sync.ts";
import { freshFolder } from "../../../../test/fresh_folder.ts";
import { openFilesIn } from "./open_files_in.ts";
import { ON_LINUX } from "../../../../test/needs.ts";

const ENOUGH = 1 << 22;

/** A folder with a file. */
function place(): { folder: string; path: string } {
  const folder = join(freshFolder(), "folder");
  mkdirSync(folder);
  const path = join(folder, "file");
  writeFileSync(path, "content");
  return { folder, path };
}

/** Resolves when all file requests of this process are done. */
async function diskAnswered(): Promise<void> {
  do await setImmediate();
  while (process.getActiveResourcesInfo().includes("FSReqCallback"));
}

describe("an early sync", ON_LINUX, () => {
  test("opens its file once there is enough to sync, and closes it at the end", async () => {
    const { folder, path } = place();
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

  test("keeps its file open while a sync is running, and does nothing below the threshold", async () => {
    const { folder, path } = place();
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

  test("closes its file at once if the sync has finished by the end", async () => {
    const { folder, path } = place();
    const sync = new EarlySync(path);
    sync.wrote(ENOUGH);
    await diskAnswered();
    sync.end();
    expect(openFilesIn(folder)).toBe(0);
  });

  test("is skipped while four files are being synced, and works again afterwards", async () => {
    const { folder, path } = place();
    for (const round of [1, 2]) {
      const all = Array.from({ length: 6 }, () => new EarlySync(path));
      for (const sync of all) sync.wrote(ENOUGH);
      expect({ round, open: openFilesIn(folder) }).toEqual({ round, open: 4 });
      for (const sync of all) sync.end();
      await diskAnswered();
      expect({ round, open: openFilesIn(folder) }).toEqual({ round, open: 0 });
    }
  });

  test("ignores a file that cannot be opened", async () => {
    const { folder, path } = place();
    rmSync(path);
    const sync = new EarlySync(path);
    sync.wrote(ENOUGH);
    sync.end();
    await diskAnswered();
    expect(openFilesIn(folder)).toBe(0);
    // It does not count as one of the four.
    writeFileSync(path, "content");
    const all = Array.from({ length: 4 }, () => new EarlySync(path));
    for (const one of all) one.wrote(ENOUGH);
    expect(openFilesIn(folder)).toBe(4);
    for (const one of all) one.end();
    await diskAnswered();
  });
});
