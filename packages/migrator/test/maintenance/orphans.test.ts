import { join } from "node:path";
import * as v16 from "@perdura/v16";
import { expect, test } from "vitest";
import { connect, query } from "../../../../test/legacy/legacy_database.ts";
import { forgetData, migrationStatus, verifyMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { runProgram } from "../support/run_program.ts";

test("status and verify report metadata without an interaction, and forget --orphans deletes them", async () => {
  const path = join(freshFolder(), "metrics.db");
  using collector = new v16.MetricsCollector(path);
  for (let row = 0; row < 600; row += 1) collector.recordMetric(row < 500 ? "gone" : "kept", true, 1, { row });
  collector.close();
  // Another program without foreign keys, in a database from before the triggers.
  const other = connect(path);
  other.exec(
    "DROP TRIGGER perdura_metadata_delete; PRAGMA foreign_keys = OFF; DELETE FROM interactions WHERE user_id = 'gone'",
  );
  other.close();
  const note = expect.stringMatching(/^500 metadata texts without an interaction.*forget --orphans/);
  expect(await migrationStatus(path)).toMatchObject({ databases: [{ notes: [note] }] });
  expect(await verifyMigration(path)).toMatchObject({ databases: [{ notes: [note] }] });
  expect(await runProgram("forget", "--orphans", "--user", "u", path)).toMatchObject({ code: 2 });
  const { code, stdout } = await runProgram("forget", "--orphans", "--yes", path);
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("deleted: 500 metadata texts without an interaction"),
  });
  expect(query(path, "SELECT count(*), min(interaction_id) FROM interaction_metadata")).toEqual([[100n, 501n]]);
  expect(await migrationStatus(path)).toMatchObject({ databases: [{ notes: [] }] });
  expect(await forgetData(path, { orphans: true })).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
});
