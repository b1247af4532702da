import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DirectoryStore } from "../../../src/stores/directory/directory_store.ts";
import { freshFolder } from "../../../../../test/fresh_folder.ts";

test("reports that only the checksum was removed", async () => {
  const root = freshFolder();
  // A directory cannot be removed like a file.
  mkdirSync(join(root, "agents", "version"), { recursive: true });
  writeFileSync(join(root, "agents", "version.sha256"), "");
  const store = new DirectoryStore(root, `file://${root}`);
  await expect(store.remove("agents/version")).rejects.toMatchObject({
    name: "StorageError",
    message: expect.stringMatching(
      /version: cannot remove the version: .*directory.* Only its checksum file was removed\. Remove the version again\.$/s,
    ),
  });
  expect(readdirSync(join(root, "agents"))).toEqual(["version"]);
});
