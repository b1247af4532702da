import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { stateText, writeOfMany } from "../../../../test/legacy/unusual_states.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";
import { canRunAsUser, giveToUser, runAsUser } from "../support/other_user.ts";
import { needs } from "../../../../test/needs.ts";

/** A directory of states with a directory in it, archived. */
async function archived(names: readonly string[]): Promise<{ folder: string; directory: string }> {
  const folder = freshFolder();
  const directory = join(folder, "empathy_state");
  mkdirSync(join(directory, "sub"), { recursive: true });
  for (const name of names) writeOfMany(join(directory, name), stateText("x"));
  expect((await migrate(folder)).exit_code).toBe(0);
  return { folder, directory };
}

test("does not count entries whose parent is a file, and later runs have nothing to do", async () => {
  const { folder, directory } = await archived(["sub/f", "b.json"]);
  rmSync(join(directory, "sub"), { recursive: true });
  rmSync(join(directory, "b.json"));
  writeFileSync(join(directory, "sub"), "x");
  const note = expect.stringMatching(/^not restored, .*: sub\/f$/);
  for (const dryRun of [true, false])
    expect(await downgradeMigration(folder, { dryRun })).toMatchObject({
      exit_code: 0,
      state_directories: [{ restored: 1, notes: expect.arrayContaining([note]) }],
    });
  for (const dryRun of [true, false])
    expect(await downgradeMigration(folder, { dryRun })).toMatchObject({
      exit_code: 0,
      summary: "Nothing to downgrade or restore; nothing was changed.",
      state_directories: [{ status: "nothing_to_do", restored: 0, notes: expect.arrayContaining([note]) }],
    });
  expect(readFileSync(join(directory, "sub"), "utf8")).toBe("x");
});

test("counts and keeps entries restored before an interruption", async () => {
  const names = Array.from({ length: 2500 }, (_, index) => `${1000 + index}.json`);
  const { folder, directory } = await archived(names);
  for (const name of names) rmSync(join(directory, name));
  const stop = new AbortController();
  const report = await downgradeMigration(folder, {
    signal: stop.signal,
    onProgress: () => {
      if (readdirSync(directory).length > 1) stop.abort();
    },
  });
  const { length } = readdirSync(directory);
  expect(length).toBeGreaterThan(1);
  expect(length).toBeLessThan(names.length);
  expect(report).toMatchObject({
    exit_code: 130,
    summary: "Partly restored: 1 interrupted.",
    state_directories: [
      { status: "interrupted", restored: length - 1, reason: expect.stringContaining("already restored") },
    ],
  });
  expect(await downgradeMigration(folder)).toMatchObject({
    exit_code: 0,
    state_directories: [{ status: "restored", restored: names.length - length + 1 }],
  });
});

test("restores a read-only directory", needs("root", !canRunAsUser()), async () => {
  const { folder, directory } = await archived(["a.json", "sub/f"]);
  giveToUser(folder);
  chmodSync(join(directory, "sub"), 0o555);
  expect(runAsUser("up", "-q", folder).code).toBe(0);
  const before = treeStamp(directory);
  rmSync(join(directory, "sub"), { recursive: true });
  expect(runAsUser("down", "--yes", folder)).toMatchObject({ code: 0 });
  expect(treeStamp(directory)).toBe(before);
});

test("counts and keeps entries restored before a failure", needs("root", !canRunAsUser()), async () => {
  const { folder, directory } = await archived(["a.json", "b.json", "sub/f"]);
  giveToUser(folder);
  rmSync(join(directory, "b.json"));
  rmSync(join(directory, "sub", "f"));
  chmodSync(join(directory, "sub"), 0o555);
  const { code, stdout } = runAsUser("down", "--json", "--yes", folder);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    summary: "Partly restored: 1 failed.",
    // The report about the restored entries is kept.
    report_path: expect.stringContaining("perdura-migration-report"),
    state_directories: [
      { status: "failed", restored: 1, reason: expect.stringMatching(/1 .*already restored.*run down again/i) },
    ],
  });
  expect(existsSync(join(directory, "b.json"))).toBe(true);
  chmodSync(join(directory, "sub"), 0o755);
  expect(runAsUser("down", "--yes", folder).code).toBe(0);
  expect(existsSync(join(directory, "sub", "f"))).toBe(true);
});

test("reports a directory that became a file, and its entries", async () => {
  const { folder, directory } = await archived(["a.json", "sub/f"]);
  await migrate(folder);
  rmSync(join(directory, "sub"), { recursive: true });
  writeFileSync(join(directory, "sub"), "");
  expect(await verifyMigration(folder)).toMatchObject({
    exit_code: 4,
    state_directories: [{ differences: ["sub was a directory and is a file", "sub/f is only in the archive"] }],
  });
});
