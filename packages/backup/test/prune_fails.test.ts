import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openBackupStore } from "../src/index.ts";
import { libraryOf } from "./elements.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const root = freshFolder();

test.each([
  ["first", 0, /No stored data was changed\.$/],
  ["second", 1, /No stored data was changed\. 1 other version was already removed\.$/],
  ["third", 2, /No stored data was changed\. 2 other versions were already removed\.$/],
])("if the %s version cannot be removed, the error reports the removed ones", async (name, before, message) => {
  const store = await openBackupStore(pathToFileURL(root).href);
  for (const content of ["one", "two", "three", "four"]) await store.backup(libraryOf(content), { name });
  const { removed } = await store.prune({ name, keepLast: 1, dryRun: true });
  // A directory in the place of a file cannot be removed as a file.
  const beside = join(root, name, `${removed[before]?.version}.sha256`);
  rmSync(beside);
  mkdirSync(beside);
  await expect(store.prune({ name, keepLast: 1 })).rejects.toThrow(
    expect.objectContaining({ name: "StorageError", path: store.place, message: expect.stringMatching(message) }),
  );
  expect(await store.list(name)).toHaveLength(4 - before);

  rmSync(beside, { recursive: true });
  expect((await store.prune({ name, keepLast: 1 })).removed).toHaveLength(3 - before);
  await store.close();
});
