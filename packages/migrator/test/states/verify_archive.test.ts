import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { schemaErrors } from "../support/report_schema.ts";

async function archived(): Promise<{ folder: string; states: string; archive: string }> {
  const folder = freshFolder();
  const states = join(folder, "people");
  layOutStates("broken", states);
  expect(await migrate(folder)).toMatchObject({ exit_code: 0, state_directories: [{ status: "archived" }] });
  return { folder, states, archive: `${states}.v15.sqlar` };
}

const differing = { exit_code: 4, state_directories: [{ status: "differs" }] };

describe("verify finds in the archive", () => {
  test.each([
    ["a changed column", "UPDATE states SET trust_level = 0.123 WHERE status = 'ok'"],
    ["a changed user", "UPDATE states SET user_id = 'other' WHERE file = 'nan.json'"],
    ["a changed column extra", "UPDATE states SET extra = '{}' WHERE file = 'nan.json'"],
    ["a changed status", "UPDATE states SET status = 'ok' WHERE file = 'cut.json'"],
    ["a missing row", "DELETE FROM states WHERE file = 'nan.json'"],
    ["an additional row", "INSERT INTO states (file, sha256, status) VALUES ('x.json', '', 'ok')"],
    ["a changed checksum", "UPDATE entries SET sha256 = '' WHERE name = 'nan.json'"],
    ["a changed content", "UPDATE sqlar SET data = x'00' WHERE name = 'cut.json'"],
    ["a missing table", "DROP TABLE states"],
  ])("%s, with the directory and without it", async (_what, sql) => {
    const { folder, states, archive } = await archived();
    const database = connect(archive);
    database.exec(sql);
    database.close();
    const report = await verifyMigration(folder);
    expect(schemaErrors(report)).toEqual([]);
    expect(report).toMatchObject(differing);
    rmSync(states, { recursive: true });
    expect(await verifyMigration(folder)).toMatchObject(differing);
  });
});

describe("verify finds in the directory", () => {
  test.each<[what: string, change: (path: string) => void, fault: string]>([
    ["a different time of a file", (path) => utimesSync(path, 1, 1), "has a different time"],
    ["different content of the same size and time", sameTimeOtherContent, "has different content"],
    ["more content", (path) => appendFileSync(path, " "), "has different content"],
    ["a directory instead of a file", asDirectory, "was a file and is a directory"],
    ["a link instead of a file", asLink, "was a file and is a link"],
    ["a missing file", (path) => rmSync(path), "is only in the archive"],
  ])("%s", async (_what, change, fault) => {
    const { folder, states } = await archived();
    expect(await verifyMigration(folder)).toMatchObject({ exit_code: 0 });
    change(join(states, "nan.json"));
    const report = await verifyMigration(folder);
    expect(report).toMatchObject(differing);
    expect(report.state_directories[0]?.differences).toContain(`nan.json ${fault}`);
  });
});

function sameTimeOtherContent(path: string): void {
  const { atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  bytes[0] = (bytes[0] as number) ^ 1;
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
}

function asDirectory(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

/** Replaces a file by a link to a file with the same content, which must make no difference. */
function asLink(path: string): void {
  renameSync(path, `${path}.was`);
  symlinkSync(`${path}.was`, path);
}

test.each(["broken", "documented", "field"] as const)(
  "the table of states of the set %s is as a fresh reading",
  async (set) => {
    const states = join(freshFolder(), "empathy_state");
    layOutStates(set, states);
    await migrate(states);
    expect(await verifyMigration(states)).toMatchObject({ exit_code: 0, state_directories: [{ status: "verified" }] });
  },
);

test("an unreadable archive is a difference, also without the directory", async () => {
  const { folder, states, archive } = await archived();
  writeFileSync(archive, randomBytes(5000));
  expect(await verifyMigration(folder)).toMatchObject(differing);
  expect(await verifyMigration(states)).toMatchObject(differing);
  rmSync(states, { recursive: true });
  expect(await verifyMigration(folder)).toMatchObject(differing);
});

test("a missing archive that a report lists is a difference", async () => {
  const { folder, states, archive } = await archived();
  rmSync(archive);
  for (const target of [folder, states]) {
    const report = await verifyMigration(target);
    expect(report).toMatchObject(differing);
    expect(report.state_directories[0]?.reason).toContain("people.v15.sqlar");
  }
});

test("compares a directory whose files were all removed", async () => {
  const { folder, states } = await archived();
  for (const name of readdirSync(states)) rmSync(join(states, name), { recursive: true });
  expect(await verifyMigration(folder)).toMatchObject(differing);
});

test("reports an intact archive without its directory as not compared", async () => {
  const { folder, states } = await archived();
  rmSync(states, { recursive: true });
  const report = await verifyMigration(folder);
  expect(report).toMatchObject({ exit_code: 1, state_directories: [{ path: states, status: "not_compared" }] });
  expect(report.state_directories[0]?.reason).toMatch(/directory does not exist.*intact/);
});
