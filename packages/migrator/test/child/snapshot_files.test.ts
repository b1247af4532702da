import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { FileProcess } from "../../src/io/child/workers.ts";
import { freshFolder } from "../support/folder.ts";

const files = new FileProcess();
afterAll(() => files.close());

test("copies a database with the files next to it, and removes files of an earlier copy", async () => {
  const folder = freshFolder();
  const [path, directory] = [join(folder, "m.db"), join(folder, "copy")];
  writeFileSync(path, "d");
  mkdirSync(directory);
  writeFileSync(join(directory, "m.db-wal"), "of an earlier attempt");
  writeFileSync(`${path}-journal`, "j");
  expect(await files.snapshot(path, directory, 0)).toBe(true);
  expect(readdirSync(directory).toSorted()).toEqual(["m.db", "m.db-journal"]);
  expect(readFileSync(join(directory, "m.db-journal"), "utf8")).toBe("j");
});
