import { spawnSync } from "node:child_process";
import { chmodSync, globSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBackupStore } from "@perdura/backup";
import { copyData, migrate, pruneMigration } from "@perdura/migrator";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { expect, onTestFinished, test, vi } from "vitest";
import { main as perduraInspect } from "../../packages/inspect/src/cli/main.ts";
import { main as perduraMigrate } from "../../packages/migrator/src/cli/main.ts";
import { freshFolder } from "../fresh_folder.ts";
import { needs, ON_POSIX } from "../needs.ts";
import { runMain } from "../run_main.ts";
import { describeWithPostgres } from "../servers/src/postgres/for_tests.ts";

/** A folder that every user may enter, with data of one user in it. */
function data(protect: (path: string) => void): string {
  const folder = freshFolder();
  chmodSync(folder, 0o755);
  const states = join(folder, "empathy_state");
  const manager = new v15.StateManager(states);
  manager.saveState("ann", { user_id: "ann", trust_level: 0.5 });
  chmodSync(states, 0o755);
  const database = new v15.MetricsCollector(join(folder, "metrics.db"));
  database.recordInteraction("ann", 4, true, 1);
  database.close();
  v16.PatternPersistence.saveToJson(new v16.PatternLibrary(), join(folder, "library.json"));
  for (const path of [join(states, "ann.json"), join(folder, "metrics.db"), join(folder, "library.json")])
    protect(path);
  return folder;
}

/** Every file that perdura makes from the data, after all of it was done. */
async function madeFrom(folder: string): Promise<string[]> {
  const before = new Set(readdirSync(folder));
  const store = await openBackupStore(`file://${join(folder, "backups")}`);
  await store.backup(join(folder, "library.json"), { name: "x" });
  v16.PatternPersistence.saveToJson(new v16.PatternLibrary(), join(folder, "library.json"));
  new v15.StateManager(join(folder, "empathy_state")).saveState("ann", { user_id: "ann", trust_level: 0.6 });
  expect((await migrate(folder)).exit_code).toBe(0);
  const made = globSync("{*,empathy_state/*,backups/**/*.json}", { cwd: folder }).filter((name) => !before.has(name));
  return [...made, "library.json", "metrics.db"]
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** Rights of users other than the owner. */
const othersOf = (path: string): number => statSync(path).mode & 0o077;

test("what is made from private files is private, also in a directory that all users may read", ON_POSIX, async () => {
  const made = await madeFrom(data((path) => chmodSync(path, 0o600)));
  expect(made.length).toBeGreaterThan(6);
  expect(made.filter((path) => othersOf(path) !== 0)).toEqual([]);
});

test("what is made from files that a group may read, only this group may read", ON_POSIX, async () => {
  const folder = data((path) => chmodSync(path, 0o640));
  const made = await madeFrom(folder);
  expect(made.filter((path) => (othersOf(path) & ~0o040) !== 0)).toEqual([]);
  const replaced = ["library.json", "empathy_state/ann.json", "metrics.db"].map((name) => join(folder, name));
  expect(replaced.map(othersOf)).toEqual([0o040, 0o040, 0o040]);
});

test("what comes out of an archive has the rights of the states that are in it", ON_POSIX, async () => {
  for (const mode of [0o600, 0o640]) {
    const folder = data((path) => chmodSync(path, mode));
    for (const words of [
      ["up", "--yes", "."],
      ["prune", "--yes", "."],
      ["states", "--extract", "extracted", "empathy_state.v15.sqlar"],
      ["down", "--yes", "."],
    ])
      expect(await runMain(perduraMigrate, words, { cwd: folder }), words.join(" ")).toMatchObject({ code: 0 });
    const states = ["extracted/ann.json", "empathy_state/ann.json"].map((name) => join(folder, name));
    expect(states.map((path) => statSync(path).mode & 0o777)).toEqual([mode, mode]);
    expect(othersOf(join(folder, "empathy_state.v15.sqlar"))).toBe(mode & 0o077);
  }
});

/** The lines of an access control list about other users. */
const listOf = (path: string): string[] =>
  spawnSync("getfacl", ["-cp", path], { encoding: "utf8" })
    .stdout.split("\n")
    .filter((line) => /^(?:user:[^:]|group:)/.test(line));

/** True if the commands exist and the file system of the tests has lists. */
function canSetLists(): boolean {
  const path = join(freshFolder(), "x");
  writeFileSync(path, "");
  return spawnSync("setfacl", ["-m", "u:1:r", path]).status === 0;
}

test(
  "a list that gives one other user a right is kept, or gives the group nothing",
  needs("acl", !canSetLists()),
  async () => {
    const folder = data((path) => {
      chmodSync(path, 0o600);
      expect(spawnSync("setfacl", ["-m", "u:1:rw", path]).status).toBe(0);
    });
    const lists = (await madeFrom(folder)).map((path) => [path, listOf(path)] as const);
    for (const [path, list] of lists) expect(list, path).toContain("group::---");
    const kept = lists.filter(([, list]) => list.length === 2).map(([path]) => path.slice(folder.length + 1));
    expect(kept.toSorted()).toEqual(["empathy_state/ann.json", "library.json", "metrics.db", "metrics.db.v15.bak"]);
  },
);

test("the report of perdura-migrate prune on private files is private", ON_POSIX, async () => {
  const folder = data((path) => chmodSync(path, 0o600));
  expect((await migrate(folder, { saveReport: false })).exit_code).toBe(0);
  const { exit_code, report_path } = await pruneMigration(folder, { pruneBackups: true });
  expect([exit_code, othersOf(report_path as string)]).toEqual([0, 0]);
});

describeWithPostgres("perdura-migrate copy of private files", (postgres) => {
  test("makes only private files, from their migration to the last row", ON_POSIX, async () => {
    const folder = data((path) => chmodSync(path, 0o600));
    const [temporary, back] = [freshFolder(), join(folder, "back.db")];
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    new v16.MetricsCollector(back).close();
    chmodSync(back, 0o600);
    const seen = new Map<string, number>();
    const onProgress = (): void => {
      for (const place of [temporary, folder])
        for (const name of readdirSync(place)) {
          const found = statSync(join(place, name), { throwIfNoEntry: false });
          if (found !== undefined && name !== "empathy_state") seen.set(name, found.mode & 0o077);
        }
    };
    expect((await copyData(join(folder, "metrics.db"), postgres.url, { onProgress })).verified).toBe(true);
    expect((await copyData(postgres.url, back, { onProgress })).verified).toBe(true);
    expect([...seen.keys()].filter((name) => /^\.perdura-copy|^back\.db-wal/.test(name)).length).toBeGreaterThan(1);
    expect([...seen].filter(([, others]) => others !== 0)).toEqual([]);
  });
});

test("exports and pages of private files are private, and existing files keep their rights", ON_POSIX, async () => {
  const folder = data((path) => chmodSync(path, 0o600));
  expect((await migrate(folder)).exit_code).toBe(0);
  const before = new Set(readdirSync(folder));
  v16.PatternPersistence.saveToJson(new v16.PatternLibrary(), join(folder, "shared.json"));
  chmodSync(join(folder, "shared.json"), 0o644);
  for (const [main, words] of [
    [perduraMigrate, ["verify", "--html", "verify.html", "."]],
    [perduraInspect, ["--html", "all.html", "."]],
    [perduraInspect, ["--html", "states.html", "empathy_state"]],
    [perduraInspect, ["compare", "--html", "compare.html", "metrics.db", "metrics.db"]],
    [perduraInspect, ["metrics", "export", "metrics.db", "metrics.csv"]],
    [perduraInspect, ["patterns", "export", "library.json", "exported.json"]],
    [perduraInspect, ["patterns", "export", "library.json", "exported.db"]],
    [perduraInspect, ["patterns", "import", "exported.db", "imported.json"]],
    [perduraInspect, ["patterns", "export", "library.json", "shared.json"]],
  ] as const)
    expect(await runMain(main, words, { cwd: folder }), words.join(" ")).toMatchObject({ code: 0 });
  using collector = new v16.MetricsCollector(join(folder, "metrics.db"));
  for (const name of ["metrics.jsonl", "open.json"]) {
    if (name === "open.json") writeFileSync(join(folder, name), "", { mode: 0o644 });
    collector.exportMetrics(join(folder, name));
  }
  const made = readdirSync(folder).filter((name) => !before.has(name) && !name.startsWith("metrics.db"));
  expect(made.length).toBe(11);
  expect(made.filter((name) => othersOf(join(folder, name)) !== 0)).toEqual(["open.json", "shared.json"]);
});

test(
  "a list that is the default in a directory gives other users no right to what is made from files without it",
  needs("acl", !canSetLists()),
  async () => {
    const folder = data((path) => chmodSync(path, 0o640));
    for (const path of [folder, join(folder, "empathy_state")])
      expect(spawnSync("setfacl", ["-d", "-m", "u:1:rwx", path]).status).toBe(0);
    const made = await madeFrom(folder);
    for (const words of [
      ["prune", "--yes", "."],
      ["states", "--extract", "extracted", "empathy_state.v15.sqlar"],
      ["down", "--yes", "."],
    ])
      expect(await runMain(perduraMigrate, words, { cwd: folder }), words.join(" ")).toMatchObject({ code: 0 });
    const restored = ["extracted/ann.json", "empathy_state/ann.json"].map((name) => join(folder, name));
    const others = [...made, ...restored].filter((path) => isReadableBy(1, path));
    expect(others).toEqual([]);
  },
);

/** True if a user can read a file that is neither its owner nor in its group. */
function isReadableBy(user: number, path: string): boolean {
  return spawnSync("cat", [path], { uid: user, gid: user }).status === 0;
}
