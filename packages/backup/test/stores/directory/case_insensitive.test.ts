import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { CASE_INSENSITIVE } from "../../../../../test/case_insensitive.ts";
import { type BackupStore, openBackupStore } from "../../../src/index.ts";
import { freshFolder } from "../../../../../test/fresh_folder.ts";

interface Opened {
  root: string;
  store: BackupStore;
  /** Stores a library with a pattern of this id. */
  push: (name: string, id: string) => Promise<unknown>;
  /** The id of the pattern in the newest version. */
  pull: (name: string) => Promise<string | undefined>;
}

async function opened(folder: string): Promise<Opened> {
  const [root, file] = [join(folder, "store"), join(folder, "library.json")];
  const store = await openBackupStore(pathToFileURL(root).href);
  return {
    root,
    store,
    push: (name, id) => {
      const library = new PatternLibrary();
      library.contribute("agent", { id, pattern_type: "t", name: id });
      PatternPersistence.saveToJson(library, file);
      return store.backup(file, { name });
    },
    pull: async (name) => {
      await store.restore(name, { to: file, overwrite: true });
      return (JSON.parse(readFileSync(file, "utf8")) as { patterns: { id: string }[] }).patterns[0]?.id;
    },
  };
}

/** Renames a folder back to its earlier name. */
function asBefore(root: string, folder: string, before: string): void {
  renameSync(join(root, folder), join(root, "between"));
  renameSync(join(root, "between"), join(root, before));
}

describe.each(CASE_INSENSITIVE)("a store on $kind, which ignores case", ({ open }) => {
  test("keeps libraries apart whose names differ only in case", async (context) => {
    const { root, store, push, pull } = await opened(open(context));
    const names = ["Team", "team", "TEAM", "\u00c9quipe", "\u00e9quipe", "e\u0301quipe"];
    for (const [index, name] of names.entries()) await push(name, `p${index}`);
    for (const [index, name] of names.entries()) expect(await pull(name)).toBe(`p${index}`);
    expect(new Set((await store.list()).map(({ name }) => name))).toEqual(new Set(names));
    expect((await store.verify()).map(({ ok }) => ok)).toEqual(names.map(() => true));
    expect(await store.prune({ keepLast: 1 })).toMatchObject({ removed: [] });
    expect(await store.list("tEAM")).toEqual([]);
    const folders = readdirSync(root);
    expect(new Set(folders.map((name) => name.toLowerCase().normalize())).size).toBe(names.length);
  });

  test("reads an older store, and gives a library whose name differs only in case its own folder", async (context) => {
    const { root, store, push, pull } = await opened(open(context));
    await push("Team", "old");
    asBefore(root, "%54eam", "Team");
    expect(await pull("Team")).toBe("old");
    expect(await store.list("team")).toEqual([]);
    await expect(store.restore("team", { to: join(root, "..", "x.json") })).rejects.toMatchObject({
      code: "PERDURA_FILE_NOT_FOUND",
    });
    await push("team", "other");
    expect(readdirSync(root).toSorted()).toEqual(["%54eam", "team"]);
    expect([await pull("Team"), await pull("team")]).toEqual(["old", "other"]);
    await push("Team", "new");
    expect([await pull("Team"), (await store.list("Team")).length]).toEqual(["new", 2]);
    expect((await store.verify()).map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  test("renames an older folder when its library is stored again", async (context) => {
    const { root, push, pull } = await opened(open(context));
    await push("Team", "old");
    asBefore(root, "%54eam", "Team");
    await push("Team", "new");
    await push("team", "other");
    expect(readdirSync(root).toSorted()).toEqual(["%54eam", "team"]);
    expect([await pull("Team"), await pull("team")]).toEqual(["new", "other"]);
  });

  test("reports an older folder that cannot be renamed, and stores nothing in it", async (context) => {
    const { root, push, pull } = await opened(open(context));
    await push("Team", "p");
    mkdirSync(join(root, "Team"));
    await expect(push("team", "other")).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(
        /team: .* the directory Team, .*Nothing was stored\. Move the files in it to %54eam/,
      ),
    });
    expect([readdirSync(root).toSorted(), readdirSync(join(root, "Team"))]).toEqual([["%54eam", "Team"], []]);
    expect(await pull("Team")).toBe("p");
  });

  test("does not write into a foreign directory", async (context) => {
    const { root, push } = await opened(open(context));
    mkdirSync(join(root, "%54EAM"), { recursive: true });
    writeFileSync(join(root, "%54EAM", "kept"), "");
    await expect(push("Team", "p")).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
    expect(readdirSync(join(root, "%54EAM"))).toEqual(["kept"]);
  });
});

test("lists the versions in the older and in the current folder as one library", async () => {
  const { root, store, push, pull } = await opened(freshFolder());
  await push("Team", "oldest");
  await push("Team", "older");
  asBefore(root, "%54eam", "Team");
  await push("team", "other");
  await push("Team", "new");
  expect(readdirSync(root).toSorted()).toEqual(["%54eam", "Team", "team"]);
  expect([await pull("Team"), await pull("team")]).toEqual(["new", "other"]);
  const all = (await store.list("Team")).map(({ version }) => version);
  expect(all).toEqual(all.toSorted().toReversed());
  expect((await store.list()).filter(({ name }) => name === "Team")).toEqual(await store.list("Team"));
  expect(await store.prune({ keepLast: 1 })).toMatchObject({ kept: [{}, {}], removed: [{}, {}] });
  expect([await pull("Team"), await pull("team")]).toEqual(["new", "other"]);
});
