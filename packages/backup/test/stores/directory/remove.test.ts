import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DirectoryStore } from "../../../src/stores/directory/directory_store.ts";

test("where the version cannot be removed after its checksum, the error says that the checksum is gone", async () => {
  const root = mkdtempSync(join(tmpdir(), "perdura-directory-store-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  // A directory cannot be removed as a file is.
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
