import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { migrate } from "@perdura/migrator";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { beforeAll, describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { needs } from "../needs.ts";
import { nodeForOtherUsers, OTHER_USER } from "../node_for_other_users.ts";
import { programWords } from "../programs.ts";
import { serverOfRun } from "../servers/src/postgres/for_tests.ts";
import { treeStamp } from "../tree_stamp.ts";
import { ALL_DOORS } from "./all_doors.ts";
import { DOORS, type Door } from "./doors.ts";
import { expectEntered } from "./expect_entered.ts";
import { contentOf } from "./folder_content.ts";

const NODE = nodeForOtherUsers();

/** A folder that every user may enter, with a database that every user may read. */
function readable(): { path: string; collector: v16.MetricsCollector } {
  const folder = freshFolder();
  chmodSync(folder, 0o755);
  const path = join(folder, "metrics.db");
  const collector = new v16.MetricsCollector(path);
  collector.recordInteraction("alice", 4, true, 1);
  const library = new v16.PatternLibrary();
  library.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
  v16.PatternPersistence.saveToSqlite(library, path);
  return { path, collector };
}

/** A door that a user has entered who may not write to the database. */
interface Entered {
  path: string;
  /** The files next to the database and itself, before. */
  before: Map<string, string>;
  refusal: string | null;
}

/** Enters doors as another user in one process, each with a database of its own. Returns the results by name. */
function enterAll(doors: readonly Door[], make: () => string): Map<string, Entered> {
  const folder = freshFolder();
  chmodSync(folder, 0o777);
  const places = doors.map(({ name }) => [name, make()] as const);
  const before = new Map(places.map(([name, path]) => [name, contentOf(dirname(path))]));
  const server = serverOfRun();
  const words = [
    ...programWords(new URL("programs/enter_as_other_user.ts", import.meta.url)),
    JSON.stringify(places),
    folder,
    ...(server === undefined ? [] : [server]),
  ];
  const answers = execFileSync(NODE, words, {
    encoding: "utf8",
    env: { ...process.env, TMPDIR: folder },
  });
  const refusals = new Map(JSON.parse(answers) as [string, string | null][]);
  return new Map(
    places.map(([name, path]) => [
      name,
      { path, before: before.get(name) as Map<string, string>, refusal: refusals.get(name) as string | null },
    ]),
  );
}

/** States of a database in WAL mode that another user finds. */
const STATES: Record<string, () => string> = {
  closed: () => {
    const { path, collector } = readable();
    collector.close();
    return path;
  },
  // SQLite would create a log of the other user there, which locks the owner of the database out.
  "closed, in a directory in which all users may create files": () => {
    const { path, collector } = readable();
    collector.close();
    chmodSync(dirname(path), 0o777);
    return path;
  },
  "left by a killed program, without its shared memory": () => {
    const { path, collector } = readable();
    const folder = freshFolder();
    chmodSync(folder, 0o755);
    const copy = join(folder, "metrics.db");
    for (const suffix of ["", "-wal"]) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`);
    collector.close();
    return copy;
  },
};

const [READING, WRITING] = ["read", "write"].map((intent) => ALL_DOORS.filter((door) => door.intent === intent)) as [
  Door[],
  Door[],
];

describe.each(Object.entries(STATES))(
  "a user who may only read a database that was %s",
  needs("root", process.geteuid?.() !== 0),
  (_name, make) => {
    let entered: Map<string, Entered>;
    beforeAll(() => {
      entered = enterAll([...READING, ...WRITING], make);
    });

    test.each(READING)("reads it with $name, which leaves nothing next to it", (door) => {
      const { path, before, refusal } = entered.get(door.name) as Entered;
      expectEntered(door, refusal);
      expect(contentOf(dirname(path))).toEqual(before);
    });

    test.each(WRITING)("is refused by $name with the reason, and it leaves nothing next to it", ({ name }) => {
      const { path, before, refusal } = entered.get(name) as Entered;
      // Nothing is to be migrated, or to be taken back.
      if (/migrate (?:up|down)$/.test(name)) expect(refusal).toBe(null);
      else expect(refusal).toMatch(new RegExp(`EACCES: permission denied, \\w+ '${dirname(path)}/|The file was kept`));
      expect(contentOf(dirname(path))).toEqual(before);
    });
  },
);

test("a database that is open elsewhere is read in place", needs("root", process.geteuid?.() !== 0), () => {
  const { path, collector } = readable();
  const names = [...contentOf(dirname(path)).keys()];
  const doors = DOORS.filter(({ name }) => name === "loadFromSqlite of 16");
  expect([...enterAll(doors, () => path).values()]).toMatchObject([{ refusal: null }]);
  expect([...contentOf(dirname(path)).keys()]).toEqual(names);
  collector.recordInteraction("bob", 4, true, 1);
  collector.close();
});

test("a user who may only read states reads them, and changes none", needs("root", process.geteuid?.() !== 0), () => {
  const folder = freshFolder();
  const states = new v15.StateManager(folder);
  states.saveState("ann", { user_id: "ann", trust_level: 0.5 });
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "ann.json"), 0o644);
  const before = contentOf(folder);
  const words = [...programWords(new URL("programs/states_as_other_user.ts", import.meta.url)), folder];
  const refused = expect.stringMatching(/^PERDURA_STORAGE .*EACCES: permission denied.*No stored data was changed/);
  expect(JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" }))).toEqual({
    listUsers: ["ann"],
    loadState: 0.5,
    saveState: refused,
    "saveState of another": refused,
    deleteState: refused,
  });
  expect(contentOf(folder)).toEqual(before);
});

test(
  "a write-protected state is not replaced, also where all users may create files",
  needs("root", process.geteuid?.() !== 0),
  () => {
    const folder = freshFolder();
    new v15.StateManager(folder).saveState("ann", { user_id: "ann", trust_level: 0.5 });
    chmodSync(folder, 0o777);
    chmodSync(join(folder, "ann.json"), 0o644);
    const words = [...programWords(new URL("programs/states_as_other_user.ts", import.meta.url)), folder];
    expect(JSON.parse(execFileSync(process.execPath, words, { encoding: "utf8" }))).toMatchObject({
      saveState: expect.stringMatching(/^PERDURA_STORAGE .*EACCES: permission denied.*No stored data was changed/),
      // Removing a file is a right to its directory.
      deleteState: true,
    });
  },
);

test(
  "a user who may only read states and a database removes nothing of them with perdura-migrate prune",
  needs("root", process.geteuid?.() !== 0),
  async () => {
    const folder = freshFolder();
    chmodSync(folder, 0o755);
    const states = join(folder, "empathy_state");
    new v15.StateManager(states).saveState("ann", { user_id: "ann", trust_level: 0.5 });
    new v15.MetricsCollector(join(folder, "metrics.db")).close();
    for (const [path, mode] of [
      [states, 0o755],
      [join(states, "ann.json"), 0o644],
      [join(folder, "metrics.db"), 0o644],
    ] as const)
      chmodSync(path, mode);
    expect((await migrate(folder)).exit_code).toBe(0);
    const before = treeStamp(folder);
    const program = programWords(new URL("../../packages/migrator/src/cli.ts", import.meta.url));
    for (const [words, reason] of [
      [[folder], `completely: ${folder} (EACCES)`],
      [["--backups", join(folder, "metrics.db")], `the backup: ${folder} (EACCES)`],
    ] as const) {
      const { status, stdout } = spawnSync(NODE, [...program, "prune", "--yes", ...words], {
        ...OTHER_USER,
        encoding: "utf8",
      });
      expect(stdout).toContain(reason);
      expect(status).toBe(3);
      expect(treeStamp(folder)).toEqual(before);
    }
  },
);
