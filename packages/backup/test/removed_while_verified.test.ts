import { appendFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PatternPersistence } from "@perdura/v16";
import { expect, test } from "vitest";
import { openBackupStore } from "../src/index.ts";
import { libraryOf } from "./elements.ts";
import { freshFolder } from "../../../test/fresh_folder.ts";

const root = freshFolder();

test("omits a version that another program removes during a verification", async () => {
  const place = pathToFileURL(root).href;
  let oldest = "";
  const store = await openBackupStore(place, {
    // During the download of the newest version, which is verified first.
    onProgress: ({ stage }) => {
      if (stage === "download") rmSync(join(root, "agents", oldest), { force: true });
    },
  });
  oldest = (await store.backup(libraryOf("old"), { name: "agents" })).version;
  const newest = await store.backup(libraryOf("new"), { name: "agents" });
  expect(await store.list("agents")).toHaveLength(2);
  expect((await store.verify("agents")).map(({ version, ok }) => [version, ok])).toEqual([[newest.version, true]]);
  await store.close();
});

test("omits a version that is removed while it is read", async () => {
  let read = "";
  const store = await openBackupStore(pathToFileURL(root).href, {
    onProgress: ({ stage, done }) => {
      if (stage === "download" && done > 0) rmSync(join(root, "large", read), { force: true });
    },
  });
  const library = join(root, "large.json");
  PatternPersistence.saveToJson(libraryOf("large"), library);
  // More than is read at a time.
  appendFileSync(library, " ".repeat(20 << 20));
  read = (await store.backup(library, { name: "large" })).version;
  expect(await store.verify("large")).toEqual([]);
  read = (await store.backup(library, { name: "large" })).version;
  await expect(store.restore("large", { to: join(root, "restored.json") })).rejects.toThrow(
    `: cannot read large/${read}: the object was replaced or removed.`,
  );
  await store.close();
});

test("reports an existing version that is not intact", async () => {
  const store = await openBackupStore(pathToFileURL(root).href);
  const { version } = await store.backup(libraryOf("new"), { name: "damaged" });
  truncateSync(join(root, "damaged", version), 10);
  expect(await store.verify("damaged")).toMatchObject([{ version, ok: false }]);
  await store.close();
});
