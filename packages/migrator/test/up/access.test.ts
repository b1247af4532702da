import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { freshFolder } from "../support/folder.ts";
import { DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { runBeside } from "../support/program.ts";

const folders: string[] = [];
afterEach(() => {
  // Otherwise the folder could not be removed.
  for (const folder of folders.splice(0)) chmodSync(folder, 0o755);
});

test("accepts a writable file", () => {
  const path = join(freshFolder(), "m.db");
  makeDatabase(path, DOCUMENTED_15);
  for (const place of [join(path, ".."), path]) chmodSync(place, 0o777);
  expect(runBeside("check_without_rights.ts", path)).toBe("writable");
});

test.each([
  { what: "a read-only file", file: 0o444, directory: 0o777, named: "m.db" },
  { what: "a read-only directory", file: 0o666, directory: 0o555, named: "directory" },
])("refuses $what before any work", ({ file, directory, named }) => {
  const folder = freshFolder();
  folders.push(folder);
  const path = join(folder, "m.db");
  makeDatabase(path, DOCUMENTED_15);
  chmodSync(path, file);
  chmodSync(folder, directory);
  expect(runBeside("check_without_rights.ts", path)).toMatch(new RegExp(`^refused: Cannot write.*${named}`));
});
