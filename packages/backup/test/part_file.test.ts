import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  statfsSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";
import { describe, expect, test } from "vitest";
import { canMount, mount } from "../../../test/mounts.ts";
import { needs } from "../../../test/needs.ts";
import { type BackupStore, openBackupStore } from "../src/index.ts";
import { directoryStore, freshFolder, libraryOf } from "./elements.ts";
import { partsIn } from "./shared/continued_suite.ts";

const PIECE = 4 << 20;

interface Cut {
  store: BackupStore;
  /** The directory of the target. */
  folder: string;
  tree: string;
  to: string;
  /** The whole content. */
  bytes: Buffer;
  /** The part that the interrupted restore left. */
  part: string;
}

/** A store with a library of two pieces, of which a restore has downloaded the first one. */
async function cutRestore(): Promise<Cut> {
  const { store, folder, tree } = await directoryStore();
  const [file, to] = [join(folder, "l.json"), join(folder, "there.json")];
  const library = libraryOf("large");
  for (const pattern of library.patterns.values()) pattern.description = "x".repeat(PIECE + 1000);
  saveLibraryToJson(library, file);
  await store.backup(file, { name: "l" });
  const reason = new Error("enough");
  const stopped = await openBackupStore(store.place, {
    onProgress: () => {
      throw reason;
    },
  });
  await expect(stopped.restore("l", { to })).rejects.toBe(reason);
  const [part = ""] = partsIn(folder);
  expect(statSync(join(folder, part)).size).toBe(PIECE);
  return { store, folder, tree, to, bytes: readFileSync(file), part: join(folder, part) };
}

/** Restores, and returns the bytes that were not downloaded again, and the parts that are left. */
async function restoreNext({ store, folder, to, bytes }: Cut): Promise<{ continued: number; left: string[] }> {
  const { continued_bytes: continued } = await store.restore("l", { to });
  expect(readFileSync(to).equals(bytes)).toBe(true);
  return { continued, left: partsIn(folder) };
}

/** The name that a part has while this process writes it. */
function nameOf(part: string, pid: number): string {
  const ours = /\.[0-9a-f]{8}-/.exec(temporaryName("x"))?.[0];
  return part.replace(/\.00000000-0-0\.perdura-part$/, `${ours}${pid}-00ff.perdura-part`);
}

test("a part with other bytes is not used, nor one that is too long", async () => {
  for (const spoil of [
    (part: string) => writeFileSync(part, Buffer.alloc(PIECE)),
    (part: string) => truncateSync(part, 3 * PIECE),
    (part: string) => truncateSync(part, 0),
  ]) {
    const cut = await cutRestore();
    spoil(cut.part);
    expect(await restoreNext(cut)).toEqual({ continued: 0, left: [] });
  }
});

test("a complete part is only checked", async () => {
  const cut = await cutRestore();
  writeFileSync(cut.part, cut.bytes);
  expect(await restoreNext(cut)).toEqual({ continued: cut.bytes.length, left: [] });
});

test("a part of an object that was replaced is removed", async () => {
  const cut = await cutRestore();
  const object = readdirSync(join(cut.tree, "l")).find((name) => name.endsWith(".json"));
  utimesSync(join(cut.tree, "l", object as string), 1, 1);
  expect(await restoreNext(cut)).toEqual({ continued: 0, left: [] });
});

test("a part of another target stays, and is continued there", async () => {
  const cut = await cutRestore();
  const other = { ...cut, to: join(cut.folder, "other.json") };
  expect(await restoreNext(other)).toEqual({ continued: 0, left: [basename(cut.part)] });
  expect(await restoreNext(cut)).toEqual({ continued: PIECE, left: [] });
});

test("a part of a running process is not used, and that of an ended one is", async () => {
  const cut = await cutRestore();
  const held = nameOf(cut.part, process.ppid);
  renameSync(cut.part, held);
  expect(await restoreNext(cut)).toEqual({ continued: 0, left: [basename(held)] });
  // The largest process id of Linux is smaller.
  renameSync(held, nameOf(cut.part, 2 ** 22 + 1));
  expect(await restoreNext(cut)).toEqual({ continued: PIECE, left: [] });
});

test("one of several restores at the same time continues a part", async () => {
  const cut = await cutRestore();
  const restored = await Promise.all([1, 2, 3].map(() => cut.store.restore("l", { to: cut.to })));
  expect(restored.map(({ continued_bytes: continued }) => continued).toSorted()).toEqual([0, 0, PIECE]);
  expect(readFileSync(cut.to).equals(cut.bytes)).toBe(true);
  expect(partsIn(cut.folder)).toEqual([]);
});

test("a log next to a part is removed", async () => {
  const cut = await cutRestore();
  writeFileSync(`${cut.part}-wal`, "of a killed check");
  expect(await restoreNext(cut)).toEqual({ continued: PIECE, left: [] });
  expect(existsSync(`${cut.part}-wal`)).toBe(false);
});

describe("a disk that is full", needs("mount", !canMount()), () => {
  test("keeps no part", async () => {
    const { store } = await cutRestore();
    const disk = freshFolder();
    mount("-t", "tmpfs", "-o", "size=5m", "perdura", disk);
    // There is room for the first piece.
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "filler"), Buffer.alloc(bavail * bsize - PIECE));
    await expect(store.restore("l", { to: join(disk, "there.json") })).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      cause: expect.objectContaining({ code: "ENOSPC" }) as Error,
    });
    expect(readdirSync(disk)).toEqual(["filler"]);
  });
});

describe("a link with the name of a part", needs("posix", process.platform === "win32"), () => {
  test.each([
    ["symbolic", symlinkSync],
    ["hard", linkSync],
  ] as const)("is not followed: %s", async (_kind, link) => {
    const cut = await cutRestore();
    const foreign = join(cut.folder, "foreign");
    renameSync(cut.part, foreign);
    link(foreign, cut.part);
    expect(await restoreNext(cut)).toEqual({ continued: 0, left: [basename(cut.part)] });
    expect(statSync(foreign).size).toBe(PIECE);
  });
});
