import { copyFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { planMigration } from "../../src/index.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { query } from "../../../../test/legacy/legacy_database.ts";
import { documented, field, layOutStates, levelsByUser, upAsPlanned, writeStates } from "../support/level_states.ts";

test("gives each row the level of the state of its user, and records the state", async () => {
  const states = { alice: documented("alice", 4), "bob ": documented("bob ", 2), carol: field("carol") };
  const { folder, path } = layOutStates(["alice", "bob "], states);
  expect(await upAsPlanned(folder, { missingLevel: "from-state" })).toMatchObject({
    exit_code: 0,
    databases: [
      {
        assumed_levels: [
          { level: 2, rows: 3, users: 1, source: "state" },
          { level: 4, rows: 3, users: 1, source: "state" },
        ],
      },
    ],
  });
  expect(levelsByUser(path)).toEqual([
    ["alice", 4n, 3n],
    ["bob ", 2n, 3n],
  ]);
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  expect(query(path, "SELECT * FROM perdura_assumed_levels ORDER BY user_id")).toEqual([
    [1n, "alice", 1n, 5n, 3n, 4n, "state", join(folder, "empathy_state", "alice.json"), sha256(states.alice)],
    [1n, "bob ", 2n, 6n, 3n, 2n, "state", join(folder, "empathy_state", "bob .json"), sha256(states["bob "])],
  ]);
});

test("refuses users without a state, unless a level for them is chosen", async () => {
  // Another user, an invalid level, text, and a user who differs only by case.
  const states = { alice: documented("alice", 5), bob: documented("bob", 6), carol: documented("carol", "3") };
  const { folder, path } = layOutStates(["alice", "Alice", "bob", "carol"], states);
  const before = stampOf(folder);
  const refused = await upAsPlanned(folder, { missingLevel: "from-state" });
  expect(refused).toMatchObject({
    exit_code: 3,
    databases: [
      {
        reason: expect.stringMatching(/3 users with 9 rows \("Alice", "bob", "carol"\).*from-state,N/),
        missing_levels: { rows: 12, users: 4, users_with_state: 1, users_without_state: ["Alice", "bob", "carol"] },
        assumed_levels: [],
      },
    ],
  });
  expect(stampOf(folder)).toBe(before);
  expect(await upAsPlanned(folder, { missingLevel: "from-state,2" })).toMatchObject({ exit_code: 0 });
  expect(levelsByUser(path)).toEqual([
    ["Alice", 2n, 3n],
    ["alice", 5n, 3n],
    ["bob", 2n, 3n],
    ["carol", 2n, 3n],
  ]);
  expect(query(path, "SELECT DISTINCT user_id, source FROM perdura_assumed_levels ORDER BY 1")).toEqual([
    ["Alice", "option"],
    ["alice", "state"],
    ["bob", "option"],
    ["carol", "option"],
  ]);
});

test("notes that every row gets the other level if no state was found", async () => {
  const { path } = layOutStates(["alice", "bob"], { alice: documented("alice", 5) });
  const said = { notes: [expect.stringMatching(/^no collaboration state was found.* the level 2\. .*--states$/)] };
  // Only the database is a target.
  expect(await planMigration(path, { missingLevel: "from-state" })).toMatchObject({ databases: [{ notes: [] }] });
  expect(await planMigration(path, { missingLevel: 2 })).toMatchObject({ databases: [{ notes: [] }] });
  const directory = join(path, "..", "empathy_state");
  expect(await planMigration(path, { missingLevel: "from-state,2", stateDirectories: [directory] })).toMatchObject({
    databases: [{ notes: [] }],
  });
  expect(await upAsPlanned(path, { missingLevel: "from-state,2" })).toMatchObject({ exit_code: 0, databases: [said] });
  expect(levelsByUser(path)).toEqual([
    ["alice", 2n, 3n],
    ["bob", 2n, 3n],
  ]);
});

test("ignores contradictory states, with a note, and uses equal ones", async () => {
  const { folder, path } = layOutStates(["alice", "bob"], { alice: documented("alice", 5), bob: documented("bob", 3) });
  const other = join(freshFolder(), "users");
  writeStates(other, { alice: documented("alice", 4), bob: documented("bob", 3) });
  const options = { stateDirectories: [other] };
  expect(await upAsPlanned(folder, { ...options, missingLevel: "from-state" })).toMatchObject({ exit_code: 3 });
  const report = await upAsPlanned(folder, { ...options, missingLevel: "from-state,1" });
  expect(report).toMatchObject({ exit_code: 0, databases: [{ notes: [expect.stringContaining("alice")] }] });
  expect(levelsByUser(path)).toEqual([
    ["alice", 1n, 3n],
    ["bob", 3n, 3n],
  ]);
});

test("states that field programs wrote have no level, which the refusal explains", async () => {
  const { folder } = layOutStates(["alice"], { alice: field("alice"), bob: field("bob") });
  const { exit_code, databases } = await upAsPlanned(folder, { missingLevel: "from-state" });
  expect(exit_code).toBe(3);
  expect(databases[0]?.reason).toContain("the programs that wrote them stored none");
  expect(databases[0]?.missing_levels?.choices[1]?.meaning).toContain("stored none");
});

test("states in the refusal that no state was found", async () => {
  const path = join(freshFolder(), "m.db");
  copyFileSync(fixture("legacy", "field-b.db"), path);
  const { exit_code, databases } = await upAsPlanned(path, { missingLevel: "from-state" });
  expect(exit_code).toBe(3);
  expect(databases[0]?.reason).toContain("No collaboration states were found");
  expect(databases[0]?.reason).toContain("and others");
});
