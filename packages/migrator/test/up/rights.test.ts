import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../support/legacy_database.ts";
import { commandLine } from "../support/program.ts";

/** Nobody stops the superuser, so the superuser lets another user run the program. */
const NOBODY = 65_534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** The Node.js that runs these tests may lie where only the superuser looks. */
let node = process.execPath;

function run(...words: string[]): { code: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(node, commandLine(...words).slice(1), {
    ...user,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", NODE_COMPILE_CACHE: "" },
    cwd: "/",
  });
  return { code: status, text: stdout + stderr };
}

function canRun(): boolean {
  if (run("--version").code === 0) return true;
  const place = mkdtempSync(join(tmpdir(), "perdura-node-"));
  chmodSync(place, 0o755);
  afterAll(() => rmSync(place, { recursive: true }));
  node = join(place, "node");
  copyFileSync(process.execPath, node);
  return run("--version").code === 0;
}

/** Who is not the superuser can look at nothing, and remove nothing, before this. */
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
  if (user.uid !== undefined)
    for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })])
      chownSync(join(folder, name), NOBODY, NOBODY);
  return { folder, path, states };
}

describe.skipIf(process.platform === "win32" || !canRun())(
  "as a user who may not do everything (needs one who may read this repository)",
  () => {
    test.each<[what: string, forbid: (place: Place) => void, named: RegExp, words?: string[]]>([
      ["a database that must not be written", ({ path }) => chmodSync(path, 0o444), /cannot write to .*m\.db/],
      ["a database that must not be read", ({ path }) => chmodSync(path, 0o000), /m\.db.*cannot be read.*EACCES/s],
      ["a directory that takes no file", ({ folder }) => chmodSync(folder, 0o555), /cannot write in the directory/],
      [
        "states that must not be read",
        ({ states }) => chmodSync(join(states, "user_123.json"), 0),
        /may not read: user_123\.json/,
      ],
      [
        "a directory of states that must not be listed",
        ({ states }) => chmodSync(states, 0),
        /empathy_state.*cannot be read.*EACCES/s,
      ],
      [
        "a directory for backups that takes no file",
        ({ folder }) => chmodSync(join(folder, "backups"), 0o555),
        /cannot write in the directory .*backups/,
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

    test.skipIf(user.uid === undefined)("a database of another user that only its owner may write is named", () => {
      const { folder, path } = layOut();
      chownSync(path, 0, 0);
      const before = stampOf(folder);
      expect(run("up", folder)).toMatchObject({
        code: 3,
        text: expect.stringMatching(/cannot write to .*m\.db.*owner/s),
      });
      expect(stampOf(folder)).toBe(before);
    });

    test("one who may write everything there has it done", () => {
      const { folder } = layOut();
      expect(run("up", folder)).toMatchObject({ code: 0, text: expect.stringContaining("1 migrated, 1 archived") });
    });
  },
);
