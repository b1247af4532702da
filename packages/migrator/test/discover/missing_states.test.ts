import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  migrationStatus,
  planMigration,
  pruneMigration,
  downgradeMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";

const STATE = '{"user_id": "alice", "trust_level": 0.5}';

/** A folder with a directory of states under an unusual name, an empty one, and a link to the former. */
function layOut(): { states: string; empty: string; link: string } {
  const folder = freshFolder();
  const [states, empty, link] = [join(folder, "real", "users"), join(folder, "data"), join(folder, "link")];
  for (const directory of [states, empty]) mkdirSync(directory, { recursive: true });
  writeFileSync(join(states, "alice.json"), STATE);
  symlinkSync(join("real", "users"), link);
  return { states, empty, link };
}

test.each(["states", "link"] as const)("accepts a pruned directory as an argument: %s", async (as) => {
  const { states, empty, ...others } = layOut();
  const { [as]: name } = { states, ...others };
  const options = { stateDirectories: [name] };
  expect(await migrate(empty, options)).toMatchObject({ exit_code: 0, state_directories: [{ status: "archived" }] });
  expect(await pruneMigration(empty, options)).toMatchObject({ exit_code: 0, state_directories: [{ path: states }] });
  expect(existsSync(states)).toBe(false);
  const gone = { exit_code: 0, state_directories: [{ path: states }] };
  expect(await migrationStatus(empty, options)).toMatchObject(gone);
  expect(await verifyMigration(empty, options)).toMatchObject(gone);
  for (const command of [planMigration, migrate, pruneMigration])
    expect(await command(empty, options)).toMatchObject({ exit_code: 0, state_directories: [] });
  expect(await downgradeMigration(empty, options)).toMatchObject({
    exit_code: 0,
    state_directories: [{ path: states, status: "restored" }],
  });
  expect(existsSync(join(states, "alice.json"))).toBe(true);
});

test("accepts a link to a pruned directory as a target", async () => {
  const { states, link } = layOut();
  for (const command of [migrate, pruneMigration]) expect(await command(link)).toMatchObject({ exit_code: 0 });
  expect(existsSync(states)).toBe(false);
  for (const command of [verifyMigration, migrationStatus, downgradeMigration])
    expect(await command(link)).toMatchObject({ exit_code: 0, state_directories: [{ path: states }] });
  expect(existsSync(join(states, "alice.json"))).toBe(true);
});

test("reports a missing directory without an archive", async () => {
  const { empty } = layOut();
  const [link, circle] = [join(empty, "link"), join(empty, "circle")];
  symlinkSync("nowhere", link);
  symlinkSync("circle", circle);
  await expect(planMigration(link)).rejects.toThrow("link: a dangling symbolic link. Nothing was changed.");
  await expect(planMigration(join(empty, "no"))).rejects.toThrow("no such file or directory");
  await expect(planMigration(circle)).rejects.toMatchObject({ code: "PERDURA_STORAGE" });
  for (const directory of [link, circle, join(empty, "no")])
    await expect(planMigration(empty, { stateDirectories: [directory] })).rejects.toThrow(
      "stateDirectories: expected an existing directory, or a missing one whose archive is next to it",
    );
});
