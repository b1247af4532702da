import { join } from "node:path";
import { openPersistence as open15, PatternLibrary as Library15 } from "@perdura/v15";
import { openPersistence as open16 } from "@perdura/v16";
import { expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";

test("16+ returns the same answers after the migration as pre-16 before", async () => {
  const folder = freshFolder();
  const before = open15({ persistence_path: folder });
  const library = new Library15();
  library.contribute("agent", { id: "p1", pattern_type: "retry", name: "Retry", agent_id: "agent" });
  before.patterns.save(library);
  for (let index = 0; index < 50; index += 1) {
    before.metrics.recordMetric(
      `user ${index % 4}`,
      (index % 5) + 1,
      index % 3 === 0,
      index / 4,
      index % 7 === 0 ? { index } : null,
    );
  }
  const users = before.metrics.getAllUsers();
  const statistics = users.map((user) => before.metrics.getUserStats(user));
  const global = before.metrics.getGlobalStats();
  before.states?.saveState("Álice/..", { user_id: "Álice/..", trust_level: 0.75, note: [1.5] });
  before.close();

  expect(() => open16({ persistence_path: folder })).toThrow("16");
  expect(await migrate(folder)).toMatchObject({
    exit_code: 0,
    databases: [{ status: "migrated" }, { status: "nothing_to_do" }],
  });

  const after = open16({ persistence_path: folder });
  expect(after.metrics.getAllUsers()).toEqual(users);
  expect(users.map((user) => after.metrics.getUserStats(user))).toEqual(statistics);
  expect(after.metrics.getGlobalStats()).toEqual(global);
  expect([...after.patterns.load().patterns.keys()]).toEqual(["p1"]);
  after.metrics.recordInteraction("user 0", 2, true, 1);
  after.close();

  const archive = connect(join(folder, "state.v15.sqlar"), { readonly: true });
  expect(archive.prepare("SELECT user_id, trust_level, extra, status FROM states").all()).toEqual([
    { user_id: "Álice/..", trust_level: 0.75, extra: expect.stringMatching(/"note": ?\[\s*1\.5\s*\]/), status: "ok" },
  ]);
  archive.close();
  expect((await planMigration(folder)).databases.map(({ status }) => status)).toEqual([
    "nothing_to_do",
    "nothing_to_do",
  ]);
});
