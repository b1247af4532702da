import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { spread } from "../../../../dev/soak/src/system_calls/points.ts";
import {
  extractArchivedStates,
  type MigrationOptions,
  planMigration,
  pruneMigration,
  downgradeMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

function layOut(): string {
  const folder = freshFolder();
  layOutStates("documented", join(folder, "empathy_state"));
  makeDatabase(join(folder, "m.db"), FIELD_A);
  addRows(join(folder, "m.db"), "metrics", 3);
  return folder;
}

/** An error that looks like one of the system, as a caller's own output may throw. */
const mine = Object.assign(new Error("mine"), { code: "ENOSPC", syscall: "write" });

/** Counts the calls, and throws at one of them. */
function failingAt(step: number): { options: { onProgress: () => void }; calls: () => number } {
  let calls = 0;
  const onProgress = (): void => {
    calls += 1;
    if (calls === step) throw mine;
  };
  return { options: { onProgress }, calls: () => calls };
}

type Command = (target: string, options: Pick<MigrationOptions, "onProgress">) => Promise<unknown>;

const COMMANDS: [string, Command][] = Object.entries({
  planMigration,
  verifyMigration,
  migrate,
  downgradeMigration,
  pruneMigration,
});

test.each(COMMANDS)(
  "%s stops at any step where onProgress throws, and rejects with that error",
  async (name, command) => {
    const ready = async (): Promise<string> => {
      const folder = layOut();
      if (name !== "planMigration" && name !== "migrate") await migrate(folder, { saveReport: false });
      return folder;
    };
    const counted = failingAt(0);
    await command(await ready(), counted.options);
    expect(counted.calls()).toBeGreaterThan(2);
    const steps = Array.from({ length: counted.calls() }, (_, index) => index + 1);
    for (const step of spread(steps, 4, 0.5)) {
      const folder = await ready();
      const failing = failingAt(step);
      await expect(command(folder, failing.options)).rejects.toBe(mine);
      // Not called again: a failed callback may fail forever.
      expect(failing.calls()).toBe(step);
      expect(await command(folder, {})).toMatchObject({ exit_code: 0 });
    }
  },
);

test("keeps finished work, and does not change other data", async () => {
  const folder = layOut();
  const before = stampOf(folder);
  await expect(migrate(folder, failingAt(3).options)).rejects.toBe(mine);
  expect(stampOf(folder)).toBe(before);
  const onProgress: MigrationOptions["onProgress"] = ({ stage }) => {
    if (stage === "archive") throw mine;
  };
  await expect(migrate(folder, { onProgress })).rejects.toBe(mine);
  expect(existsSync(join(folder, "m.db.v15.bak"))).toBe(true);
  expect(existsSync(join(folder, "empathy_state.v15.sqlar"))).toBe(false);
});

test("stops the run if an asynchronous onProgress fails", async () => {
  const folder = layOut();
  const before = stampOf(folder);
  const onProgress = async (): Promise<never> => Promise.reject(mine);
  await expect(migrate(folder, { onProgress })).rejects.toBe(mine);
  expect(stampOf(folder)).toBe(before);
});

test("an extraction ends with the error of onProgress, and writes nothing", async () => {
  const folder = layOut();
  // It is called about every thousand entries.
  for (let number = 0; number < 1100; number += 1) writeFileSync(join(folder, "empathy_state", `${number}.txt`), "");
  await migrate(join(folder, "empathy_state"), { saveReport: false });
  const target = join(folder, "out");
  const archive = join(folder, "empathy_state.v15.sqlar");
  await expect(extractArchivedStates(archive, target, failingAt(1).options)).rejects.toBe(mine);
  expect(readdirSync(folder).toSorted()).toEqual(["empathy_state", "empathy_state.v15.sqlar", "m.db"]);
});
