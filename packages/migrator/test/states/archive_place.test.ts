import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { stateText } from "../../../../test/legacy/unusual_states.ts";

/** A folder with a database and, at a path below it, a state directory. */
function layOut(states: string): string {
  const folder = freshFolder();
  makeDatabase(join(folder, "metrics.db"), FIELD_A);
  mkdirSync(join(folder, states), { recursive: true });
  writeFileSync(join(folder, states, "a.json"), stateText("a"));
  return folder;
}

const nameOf = (length: number): string => "n".repeat(length);

test.each([
  ["a name that leaves no room for that of the archive", nameOf(248), /n+\.v15\.sqlar.* is too long.*shorter name/],
  [
    "a path that leaves no room for one that SQLite can open",
    Array.from({ length: 4 }, () => nameOf(118)).join("/"),
    /SQLite opens .* 504 bytes.*shorter path/,
  ],
])("refuses states with %s before anything is changed", async (_what, states, sentence) => {
  const folder = layOut(states);
  const before = stampOf(folder);
  for (const report of [await planMigration(folder), await migrate(folder)])
    expect(report).toMatchObject({
      exit_code: 3,
      state_directories: [{ status: "refused", reason: expect.stringMatching(sentence) }],
    });
  expect(stampOf(folder)).toBe(before);
});

test("archives a directory with the longest possible name", async () => {
  const name = nameOf(255 - ".v15.sqlar".length);
  const folder = layOut(name);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
  expect(readdirSync(folder)).toContain(`${name}.v15.sqlar`);
});
