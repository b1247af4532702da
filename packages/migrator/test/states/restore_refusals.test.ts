import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { archived, restored } from "../support/restoring.ts";

test.each([
  ["a file", (directory: string) => writeFileSync(directory, "x")],
  ["a link", (directory: string) => symlinkSync("elsewhere", directory)],
])("does not replace %s that has the name of the directory", async (_what, put) => {
  const directory = await archived();
  rmSync(directory, { recursive: true });
  put(directory);
  expect(await restored(directory)).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("Cannot restore the directory"),
  });
});

test.each([
  ["a changed content", "UPDATE sqlar SET data = x'00', sz = 1 WHERE name = 'alice.json'"],
  ["a missing checksum", "UPDATE entries SET sha256 = NULL WHERE name = 'alice.json'"],
  ["a missing row", "DELETE FROM sqlar WHERE name = 'alice.json'"],
  ["no directory", "DELETE FROM directory"],
])("restores nothing from an archive with %s", async (_what, sql) => {
  const directory = await archived();
  const database = connect(`${directory}.v15.sqlar`);
  database.exec(sql);
  database.close();
  rmSync(directory, { recursive: true });
  expect(await restored(directory)).toMatchObject({ status: "refused", restored: 0 });
  expect(existsSync(directory)).toBe(false);
});

test("restores nothing without an archive", async () => {
  const directory = join(freshFolder(), "empathy_state");
  expect(await restored(directory)).toMatchObject({ status: "nothing_to_do" });
  mkdirSync(directory);
  expect(await restored(directory)).toMatchObject({ status: "nothing_to_do" });
});
