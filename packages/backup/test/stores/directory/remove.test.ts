import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DirectoryStore } from "../../../src/stores/directory/directory_store.ts";
import { freshFolder } from "../../../../../test/fresh_folder.ts";

test("where the version cannot be removed after its checksum, the error says that the checksum is gone", async () => {
  const root = freshFolder();
  // A directory cannot be removed like a file.
  mkdirSync(join(root, "agents", "version"), { recursive: true });
  writeFileSync(join(root, "agents", "version.sha256"), "");
  const store = new DirectoryStore(root, `file://${root}`);
  await expect(store.remove("agents/version")).rejects.toMatchObject({
    name: "StorageError",
    message: expect.stringMatching(
      /version: removing failed: .*directory.* The version is still there, only the file with its SHA-256 is removed\. Remove it again\.$/s,
    ),
  });
  expect(readdirSync(join(root, "agents"))).toEqual(["version"]);
});
