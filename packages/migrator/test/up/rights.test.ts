import { chmodSync, chownSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { canRunAsUser, giveToUser, runAsUser as run } from "../support/other_user.ts";
import { needs } from "../../../../test/needs.ts";

/** Without superuser rights, files can be inspected and removed only after this. */
function allow({ folder, path, states }: Place): void {
  for (const [place, mode] of [
    [folder, 0o755],
    [path, 0o644],
    [states, 0o755],
    [join(states, "user_123.json"), 0o644],
    [join(folder, "backups"), 0o755],
  ] as const)
    chmodSync(place, mode);
}

interface Place {
  folder: string;
  path: string;
  states: string;
}

/** A folder of that user with a database and states. */
function layOut(): Place {
  const folder = freshFolder();
  const [path, states] = [join(folder, "m.db"), join(folder, "empathy_state")];
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 20);
  layOutStates("documented", states);
  mkdirSync(join(folder, "backups"));
  giveToUser(folder);
  return { folder, path, states };
}

describe("as a user with few rights", needs("root", !canRunAsUser()), () => {
  test.each<[what: string, forbid: (place: Place) => void, named: RegExp, words?: string[]]>([
    ["a read-only database", ({ path }) => chmodSync(path, 0o444), /Cannot write to .*m\.db/],
    ["an unreadable database", ({ path }) => chmodSync(path, 0o000), /m\.db.*Cannot read the file.*EACCES/s],
    ["a directory that takes no file", ({ folder }) => chmodSync(folder, 0o555), /Cannot write to the directory/],
    [
      "states that must not be read",
      ({ states }) => chmodSync(join(states, "user_123.json"), 0),
      /Permission denied: user_123\.json/,
    ],
    [
      "a directory of states that must not be listed",
      ({ states }) => chmodSync(states, 0),
      /empathy_state.*Cannot read the directory.*EACCES/s,
    ],
    [
      "a directory for backups that takes no file",
      ({ folder }) => chmodSync(join(folder, "backups"), 0o555),
      /Cannot write to the directory .*backups/,
      ["--backup-dir"],
    ],
  ])("%s is named, nothing is changed: exit code 3", (_what, forbid, named, words) => {
    const place = layOut();
    const before = stampOf(place.folder);
    forbid(place);
    for (const command of ["plan", "up"]) {
      const options = words === undefined ? [] : [...words, join(place.folder, "backups")];
      const { code, text } = run(command, ...options, place.folder);
      expect(text).toMatch(named);
      expect(code).toBe(3);
    }
    allow(place);
    expect(stampOf(place.folder)).toBe(before);
  });

  test("names a database that only another user may write", needs("root", process.getuid?.() !== 0), () => {
    const { folder, path } = layOut();
    chownSync(path, 0, 0);
    const before = stampOf(folder);
    expect(run("up", folder)).toMatchObject({
      code: 3,
      text: expect.stringMatching(/Cannot write to .*m\.db.*owner/s),
    });
    expect(stampOf(folder)).toBe(before);
  });

  test("names a read-only directory of states before any database is changed", () => {
    const { folder, states } = layOut();
    const place = join(folder, "ro");
    mkdirSync(place);
    renameSync(states, join(place, "empathy_state"));
    giveToUser(place);
    chmodSync(place, 0o555);
    const before = stampOf(folder);
    for (const command of ["plan", "up"])
      expect(run(command, folder)).toMatchObject({
        code: 3,
        text: expect.stringMatching(/Cannot write the archive to the directory \S+\/ro \(EACCES\)/),
      });
    expect(stampOf(folder)).toBe(before);
    chmodSync(place, 0o755);
  });

  test("migrates for a user who may write all files", () => {
    const { folder } = layOut();
    expect(run("up", folder)).toMatchObject({ code: 0, text: expect.stringContaining("1 migrated, 1 archived") });
  });
});
