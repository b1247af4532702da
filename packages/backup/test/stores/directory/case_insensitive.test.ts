import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { capitalizing, CASE_INSENSITIVE, LOWER_CASING } from "../../../../../test/case_insensitive.ts";
import { freshFolder } from "../../elements.ts";
import { type BackupStore, openBackupStore } from "../../../src/index.ts";

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

describe.each([...CASE_INSENSITIVE, LOWER_CASING])("a store on $kind, which ignores case", ({ open }) => {
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
});

describe.each(CASE_INSENSITIVE)("a store on $kind", ({ open }) => {
  test.for([
    ["Team", "%54EAM"],
    ["team", "Team"],
  ] as const)("does not write %s into the foreign directory %s", async ([name, foreign], context) => {
    const { root, store, push } = await opened(open(context));
    mkdirSync(join(root, foreign), { recursive: true });
    writeFileSync(join(root, foreign, "kept"), "");
    await expect(push(name, "p")).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringMatching(
        new RegExp(`that of the directory ${foreign}, .*Nothing was stored\\. Move that directory elsewhere`),
      ) as string,
    });
    expect([readdirSync(root), readdirSync(join(root, foreign)), await store.list()]).toEqual([
      [foreign],
      ["kept"],
      [],
    ]);
  });
});

test("stores nothing where names are stored in capital letters", async () => {
  const { root, push } = await opened(capitalizing());
  await expect(push("team", "p")).rejects.toMatchObject({
    code: "PERDURA_STORAGE",
    message: expect.stringMatching(/stores this name as TEAM, .* Use a directory on another file system\.$/),
  });
  expect(readdirSync(root)).toEqual([]);
});

test("a copy of a directory that was stored in lower case is a store", async () => {
  const folder = freshFolder();
  const { root, store, push, pull } = await opened(folder);
  for (const id of ["older", "newer"]) await push("caf\u00e9", id);
  const [library] = readdirSync(root) as [string];
  for (const name of readdirSync(join(root, library)))
    renameSync(join(root, library, name), join(root, library, name.toLowerCase()));
  renameSync(join(root, library), join(root, library.toLowerCase()));
  expect(await pull("caf\u00e9")).toBe("newer");
  await push("caf\u00e9", "newest");
  expect(await pull("caf\u00e9")).toBe("newest");
  expect((await store.list("caf\u00e9")).map(({ version }) => version)).toEqual([
    expect.stringMatching(/T\d+\.\d+Z-/),
    expect.stringMatching(/T\d+\.\d+Z-/),
    expect.stringMatching(/T\d+\.\d+Z-/),
  ]);
  expect((await store.verify()).map(({ ok }) => ok)).toEqual([true, true, true]);
  expect(await store.prune({ keepLast: 1 })).toMatchObject({ removed: [{}, {}] });
  expect(await pull("caf\u00e9")).toBe("newest");
});
