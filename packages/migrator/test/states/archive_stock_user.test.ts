import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { planMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { stateText, writeOfMany } from "../../../../test/legacy/unusual_states.ts";
import { treeStamp } from "../../../../test/tree_stamp.ts";
import { needs } from "../../../../test/needs.ts";

const isInstalled = spawnSync("sqlite3", ["--version"]).error === undefined;

/** Permissions do not apply to the superuser, who therefore runs the extraction as another user. */
const NOBODY = 65_534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const readOnly: string[] = [];

// Without superuser rights nothing of it can be removed before.
afterEach(() => void (readOnly.length > 0 && spawnSync("chmod", ["-R", "u+w", ...readOnly.splice(0)])));

/** Extracts an archive with the stock program, as a user to whom modes apply; returns the target. */
function stockExtract(archive: string): string {
  const target = freshFolder();
  readOnly.push(target);
  chmodSync(archive, 0o644);
  chmodSync(dirname(archive), 0o755);
  if (user.uid !== undefined) chownSync(target, user.uid, user.gid);
  const { stdout, stderr } = spawnSync("sqlite3", [archive, "-Ax"], { ...user, cwd: target, encoding: "utf8" });
  // It exits with 0 even if it stops in the middle.
  expect(stdout + stderr).toBe("");
  return target;
}

/** Names, kinds, modes, and contents; no owners and times. */
function namesAndModes(directory: string): string[] {
  return treeStamp(directory)
    .split("\n")
    .slice(1)
    .map((line) => line.replace(/ ([0-7]{5,6}) -?\d+ \d+ \d+(?= |$)/, " $1"));
}

/** Makes nested read-only directories, including an empty one, before and after other names. */
function makeReadOnly(directory: string): void {
  const inner = join(directory, "ro", "inner");
  readOnly.push(directory);
  mkdirSync(join(inner, "hollow"), { recursive: true });
  for (const place of [directory, join(directory, "ro"), inner])
    for (const name of ["a.json", "z.json"]) writeFileSync(join(place, name), stateText("a"));
  for (const place of [join(inner, "hollow"), inner, join(directory, "ro")]) chmodSync(place, 0o555);
}

test.each([0, 5500])(
  "the stock sqlite3 extracts what lies in read-only directories, for any user, with %i more states",
  needs("sqlite3", !isInstalled),
  async (more) => {
    const directory = join(freshFolder(), "empathy_state");
    makeReadOnly(directory);
    for (let index = 0; index < more; index += 1) writeOfMany(join(directory, `m-${index}.json`), stateText("m"));
    expect((await migrate(directory)).exit_code).toBe(0);
    expect(namesAndModes(stockExtract(`${directory}.v15.sqlar`))).toEqual(namesAndModes(directory));
  },
);

test(
  "reports the entries that the stock sqlite3 does not extract before and after archiving",
  needs("sqlite3", !isInstalled),
  async () => {
    const directory = join(freshFolder(), "empathy_state");
    mkdirSync(join(directory, "v1.."), { recursive: true });
    for (const name of ["v1../f", "v1../g", "back..\\slash", "..hidden", "a..b.json", "c.json"])
      writeFileSync(join(directory, name), "{}");
    const [plan, report, repeated] = [
      await planMigration(directory),
      await migrate(directory),
      await planMigration(directory),
    ];
    for (const { exit_code: code, state_directories: states } of [plan, report, repeated]) {
      expect(code).toBe(0);
      expect(states[0]?.notes).toEqual([
        // The order depends on the file system.
        expect.stringMatching(
          /does not extract 3 entries .* back\.\.\\slash, v1\.\.\/(?:f, v1\.\.\/g|g, v1\.\.\/f)\. .*"perdura-migrate states --extract DIR ARCHIVE"/,
        ),
      ]);
    }
    const extracted = stockExtract(`${directory}.v15.sqlar`);
    expect(readdirSync(extracted, { recursive: true }).toSorted()).toEqual(["..hidden", "a..b.json", "c.json", "v1.."]);
  },
);
