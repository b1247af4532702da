import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { stateText } from "../../../../test/legacy/unusual_states.ts";

test("keeps the time of a changed directory when entries are restored into it", async () => {
  const directory = join(freshFolder(), "empathy_state");
  mkdirSync(directory);
  for (const user of ["a", "b"]) writeFileSync(join(directory, `${user}.json`), stateText(user));
  utimesSync(directory, 1000, 1000);
  expect(await migrate(directory)).toMatchObject({ exit_code: 0 });
  rmSync(join(directory, "b.json"));
  writeFileSync(join(directory, "a.json"), stateText("changed"));
  const report = await downgradeMigration(directory);
  expect(report).toMatchObject({ exit_code: 0, state_directories: [{ restored: 1 }] });
  expect(existsSync(join(directory, "b.json"))).toBe(true);
  expect(statSync(directory).mtimeMs / 1000).not.toBe(1000);
});
