import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { query } from "../../../../test/legacy/legacy_database.ts";
import { HAS_PYTHON, startNode, startPythonStates, type Writer } from "./writer.ts";

const programs: [what: string, start: (directory: string, name: string) => Writer][] = [
  ["of version 15", (directory, name) => startNode("save_states", directory, name)],
  ...(HAS_PYTHON ? [["of the field", startPythonStates] satisfies [string, typeof startPythonStates]] : []),
];

test.each(programs)("the next up archives states that programs %s save during the archiving", async (_what, start) => {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  mkdirSync(directory);
  const writers = { one: start(directory, "one"), two: start(directory, "two") };
  await Promise.all(Object.values(writers).map((writer) => writer.more(20)));
  for (let round = 0; round < 8; round += 1) {
    const { exit_code: code, state_directories: states } = await migrate(folder, { saveReport: false });
    if (code === 0) expect(states).toMatchObject([{ status: "archived" }]);
    else
      expect({ code, states }).toMatchObject({
        code: 5,
        states: [{ status: "in_use", reason: expect.stringContaining("changed while it was archived") }],
      });
  }
  for (const writer of Object.values(writers)) expect(await writer.end()).toBe(0);
  const last = await migrate(folder, { saveReport: false });
  expect(last.exit_code).toBe(0);
  const archive = last.state_directories[0]?.archive?.path ?? "";
  for (const [name, { recorded }] of Object.entries(writers)) {
    for (const number of recorded.slice(-4))
      expect(query(archive, `SELECT interaction_count FROM states WHERE user_id = '${name}_${number % 4}'`)).toEqual([
        [BigInt(number)],
      ]);
  }
  expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0, state_directories: [{ status: "verified" }] });
});
