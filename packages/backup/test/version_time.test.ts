import { utimesSync } from "node:fs";
import { join } from "node:path";
import { loadLibraryFromJson } from "@perdura/internals/patterns/json_load.js";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { expect, test } from "vitest";
import { directoryStore, libraryOf } from "./elements.ts";

test("a version has the time before its file was read, so that later changes are kept", async () => {
  let read = 0;
  const { store, folder } = await directoryStore({
    onProgress: ({ stage }) => {
      if (stage !== "snapshot") return;
      read = Date.now();
      // As long as reading a large library takes.
      while (Date.now() < read + 50);
    },
  });
  const path = join(folder, "l.json");
  saveLibraryToJson(libraryOf("a"), path);
  const before = Date.now();
  const { created_at } = await store.backup(path, { name: "agents" });
  expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(created_at)).toBeLessThanOrEqual(read);
  saveLibraryToJson(libraryOf("changed"), path);
  // During the upload of the version.
  utimesSync(path, new Date(read + 20), new Date(read + 20));
  await expect(store.restore("agents", { to: path })).rejects.toThrow(
    "The file was kept. Use overwrite to replace it.",
  );
  expect([...loadLibraryFromJson(path).patterns.keys()]).toEqual([...libraryOf("changed").patterns.keys()]);
});
