import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { pruneMigration, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { canRunAsUser, giveToUser, runAsUser } from "../support/other_user.ts";
import { needs } from "../../../../test/needs.ts";

const [OWNER, GROUP] = [4242, 4243];

/** Owner, group and mode of the files in a folder, and of those that existed during a command. */
const accessOf = (path: string): string => {
  const { uid, gid, mode } = statSync(path);
  return `${uid}:${gid} ${(mode & 0o7777).toString(8)}`;
};

interface Owned {
  folder: string;
  /** Files next to the data during a command, by their purpose. */
  atWork: Map<string, Set<string>>;
  watch: { onProgress: () => void };
}

/** A folder with a database and states, both owned by another user. */
function ownedFolder(mode: number, journal: string): Owned {
  const folder = freshFolder();
  chmodSync(folder, 0o755);
  const [path, states] = [join(folder, "m.db"), join(folder, "empathy_state")];
  makeDatabase(path, `PRAGMA journal_mode = ${journal}; ${FIELD_A}`);
  addRows(path, "metrics", 20);
  mkdirSync(states);
  writeFileSync(join(states, "alice.json"), '{"user_id": "alice", "trust_level": 0.5}', { mode: 0o600 });
  chmodSync(path, mode);
  chmodSync(states, 0o750);
  for (const owned of [folder, path, states, join(states, "alice.json")]) chownSync(owned, OWNER, GROUP);
  const atWork = new Map<string, Set<string>>();
  const onProgress = (): void => {
    for (const name of readdirSync(folder)) {
      const kind = /\.perdura-tmp|-wal$|-shm$|-journal$/.exec(name)?.[0];
      if (kind !== undefined) atWork.set(kind, (atWork.get(kind) ?? new Set()).add(accessOf(join(folder, name))));
    }
  };
  return { folder, atWork, watch: { onProgress } };
}

describe("run by the superuser on data of another user", needs("root", process.geteuid?.() !== 0), () => {
  test.each([
    { mode: 0o600, journal: "delete" },
    { mode: 0o640, journal: "delete" },
    { mode: 0o640, journal: "wal" },
  ])("all that is written belongs to that user, from its first byte: $mode, $journal", async ({ mode, journal }) => {
    const { folder, atWork, watch } = ownedFolder(mode, journal);
    const shown = `${OWNER}:${GROUP} ${mode.toString(8)}`;
    expect(await migrate(folder, watch)).toMatchObject({ exit_code: 0 });
    const of = (name: string): string => accessOf(join(folder, name));
    expect([of("m.db"), of("m.db.v15.bak"), of("empathy_state.v15.sqlar")]).toEqual([
      shown,
      shown,
      `${OWNER}:${GROUP} 600`,
    ]);
    // Its states are readable for the user only, although the group may list them.
    expect(of("perdura-migration-report.json")).toBe(`${OWNER}:${GROUP} 600`);
    expect(await pruneMigration(folder, watch)).toMatchObject({ exit_code: 0 });
    expect(await downgradeMigration(folder, watch)).toMatchObject({ exit_code: 0 });
    expect([of("m.db.v16.bak"), of("empathy_state"), of("empathy_state/alice.json")]).toEqual([
      shown,
      `${OWNER}:${GROUP} 750`,
      `${OWNER}:${GROUP} 600`,
    ]);
    for (const name of readdirSync(folder)) expect(`${name} ${of(name)}`).toContain(` ${OWNER}:${GROUP} `);
    // An unfinished copy has the database's permissions, or is private; so are SQLite's files next to it.
    const [copies, ...besides] = [
      atWork.get(".perdura-tmp") ?? [],
      ...["-wal", "-shm"].map((kind) => atWork.get(kind) ?? []),
    ];
    const ofUser = ["600", "640", "750"].map((listed) => `${OWNER}:${GROUP} ${listed}`);
    const allowed = [shown, ...ofUser, "0:0 600", "0:0 700"];
    expect([...(copies ?? [])].filter((access) => !allowed.includes(access))).toEqual([]);
    for (const beside of besides) expect([...beside].filter((access) => access !== shown)).toEqual([]);
    expect(besides.every((beside) => [...beside].length > 0)).toBe(journal === "wal");
  });

  test("a report on data of several users belongs to the superuser, and only a common group can read it", async () => {
    const { folder, watch } = ownedFolder(0o640, "delete");
    const other = join(folder, "other.db");
    makeDatabase(other, FIELD_A);
    addRows(other, "metrics", 3);
    chmodSync(other, 0o640);
    chownSync(other, OWNER + 2, GROUP + 2);
    expect(await migrate([folder, other], watch)).toMatchObject({ exit_code: 0 });
    expect(accessOf(join(folder, "perdura-migration-report.json"))).toBe("0:0 600");
    expect(accessOf(`${other}.v15.bak`)).toBe(`${OWNER + 2}:${GROUP + 2} 640`);
  });

  test("a backup keeps a group that only the owner can set", async () => {
    const { folder } = ownedFolder(0o660, "delete");
    rmSync(join(folder, "empathy_state"), { recursive: true });
    for (const owned of [folder, join(folder, "m.db")]) chownSync(owned, OWNER, 0);
    process.setegid?.(GROUP);
    process.seteuid?.(OWNER);
    try {
      // Not a member of group 0, yet the owner.
      expect(await migrate(join(folder, "m.db"))).toMatchObject({ exit_code: 0 });
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
    expect(accessOf(join(folder, "m.db.v15.bak"))).toMatch(/^4242:(?:4243 600|0 660)$/);
  });
});

describe(
  "after the superuser migrated data of a user",
  needs("root", process.geteuid?.() !== 0 || !canRunAsUser()),
  () => {
    test("its owner can verify and downgrade it", async () => {
      const folder = freshFolder();
      const path = join(folder, "m.db");
      makeDatabase(path, FIELD_A);
      addRows(path, "metrics", 20);
      const states = join(folder, "empathy_state");
      layOutStates("documented", states);
      chmodSync(path, 0o600);
      chmodSync(states, 0o700);
      giveToUser(folder);
      expect(await migrate(folder)).toMatchObject({ exit_code: 0 });
      expect(runAsUser("verify", folder)).toMatchObject({ code: 0 });
      expect(runAsUser("prune", "--yes", folder)).toMatchObject({ code: 0 });
      expect(runAsUser("down", folder)).toMatchObject({ code: 0 });
    });
  },
);
