import { cpSync, mkdirSync, readlinkSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pruneMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";

test("prune does not follow a link that replaced a state directory", async () => {
  const [folder, elsewhere] = [freshFolder(), freshFolder()];
  const [states, moved] = [join(folder, "empathy_state"), join(elsewhere, "moved")];
  mkdirSync(states);
  for (const name of ["a.json", "b.json"]) {
    writeFileSync(join(states, name), '{"user_id": "a", "trust_level": 0.5}');
    utimesSync(join(states, name), 1_760_000_000, 1_760_000_000);
  }
  expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
  cpSync(states, moved, { recursive: true, preserveTimestamps: true });
  const before = stampOf(elsewhere);
  let swapped = false;
  const report = await pruneMigration(folder, {
    onProgress: ({ stage }) => {
      if (stage !== "prune" || swapped) return;
      swapped = true;
      renameSync(states, `${states}.away`);
      symlinkSync(moved, states);
    },
  });
  expect(stampOf(elsewhere)).toBe(before);
  expect(report).toMatchObject({
    state_directories: [{ reason: expect.stringMatching(/was a directory and is a link/) }],
  });
  expect(report.exit_code).not.toBe(0);
  expect(readlinkSync(states)).toBe(moved);
});
