import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listArchivedStates, planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";

/** Reasons of a plan and of an archive, which must be equal. */
async function reasonFor(file: string, text: string): Promise<string | undefined> {
  const directory = join(freshFolder(), "empathy_state");
  mkdirSync(directory);
  writeFileSync(join(directory, file), text);
  const [plan] = (await planMigration(directory)).state_directories;
  await migrate(directory);
  const [state] = [...listArchivedStates(`${directory}.v15.sqlar`)];
  const planned = [...(plan?.states_unusual ?? []), ...(plan?.states_broken ?? [])].map(({ reason }) => reason);
  expect(planned).toEqual([state?.reason]);
  return planned[0];
}

test.each([
  ['"interaction_count": 1e999', "interaction_count is 1e999"],
  ['"success_count": 9007199254740993', "success_count is 9007199254740993"],
  [`"failure_count": ${"1".repeat(99)}`, `failure_count is ${"1".repeat(60)}…`],
  ['"current_level": 3.5', "current_level is 3.5"],
  // It fits its column, and version 15 refuses to load it.
  ['"last_interaction": "soon"', 'last_interaction is "soon"'],
  ['"created_at": {"a": 1}', "created_at is an object"],
])("reports a value that fits no column verbatim: %s", async (member, reason) => {
  const text = `{"user_id": "a", "trust_level": 0.5, ${member}}`;
  expect(await reasonFor("a.json", text)).toBe(reason);
});

test("reports a trust level that no double can hold verbatim", async () => {
  expect(await reasonFor("a.json", '{"user_id": "a", "trust_level": 1e400}')).toBe("trust_level is 1e400");
});

test.each(["torn.json", "to\u0007rn.json", "to\u202ern.json", "to\nrn.json"])(
  "reports the position of a fault in a state without the path: %j",
  async (file) => {
    expect(await reasonFor(file, '{"user_id": "a", "trust')).toMatch(/^line 1:\d+: not valid JSON/);
  },
);
