import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  migrationStatus,
  planMigration,
  pruneMigration,
  downgradeMigration,
  verifyMigration,
} from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { damage } from "../support/damaged_database.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { runProgram } from "../support/run_program.ts";

const COMMANDS = {
  plan: planMigration,
  up: migrate,
  verify: verifyMigration,
  status: migrationStatus,
  down: downgradeMigration,
  prune: pruneMigration,
};

const ZEROS = "it begins with zeros, which a power failure can cause";
const HEADER = "its header is damaged";
const OTHER = "it does not begin like an SQLite database; it is damaged, encrypted, or from another program";

/** Damage that makes a database unreadable, with the expected message. */
const DAMAGES: readonly (readonly [string, string, (bytes: Buffer) => Buffer])[] = [
  ["zeros for its first page", ZEROS, (bytes) => bytes.fill(0, 0, 4096)],
  ["zeros for its header", ZEROS, (bytes) => bytes.fill(0, 0, 100)],
  ["zeros only", ZEROS, (bytes) => bytes.fill(0)],
  ["zeros for its magic number", HEADER, (bytes) => bytes.fill(0, 0, 16)],
  ["another magic number", HEADER, (bytes) => bytes.fill("x", 0, 16)],
  ["encrypted bytes", OTHER, (bytes) => randomBytes(bytes.length)],
  ["text", OTHER, () => Buffer.from("this was a database")],
];

function databaseAt(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  makeDatabase(path, FIELD_A);
  addRows(path, "metrics", 20);
}

describe.each(Object.entries(COMMANDS))("%s refuses a database that", (name, command) => {
  test.each(DAMAGES)("has %s, as a target or with a known name", async (_what, fault, change) => {
    const folder = freshFolder();
    for (const known of ["metrics.db", "Patterns.sqlite", "agent-metrics.db3", "old/perdura.db"]) {
      const path = join(folder, known);
      databaseAt(path);
      damage(path, change);
    }
    const before = stampOf(folder);
    const report = await command(folder);
    expect(report).toMatchObject({ exit_code: 3, databases: [] });
    expect(report.refused).toHaveLength(4);
    for (const { reason } of report.refused)
      expect(reason).toBe(
        `Cannot read the file: ${fault}. Restore it from a copy, decrypt it, or move it to another directory, then run this command again.`,
      );
    const named = join(freshFolder(), fault === OTHER ? "data.db" : "data.bin");
    renameSync(join(folder, "metrics.db"), named);
    expect(await command(named)).toMatchObject({ exit_code: 3, refused: [{ path: named }] });
    renameSync(named, join(folder, "metrics.db"));
    expect(stampOf(folder)).toBe(before);
  });

  test.each(["its place", "a directory for backups"])("has a backup in %s, and names the backup", async (place) => {
    const folder = freshFolder();
    const options = place === "its place" ? {} : { backupDir: freshFolder() };
    const path = join(folder, "a");
    databaseAt(path);
    const { databases } = await migrate(path, options);
    const backup = databases[0]?.backup?.path ?? "";
    for (const [, , change] of [...DAMAGES, ["", "", () => Buffer.alloc(0)] as const]) {
      const whole = readFileSync(path);
      damage(path, change);
      // `verify` reports it as a difference from the backup, which is more specific.
      for (const target of place === "its place" ? [path, folder] : [path]) {
        const report = await command(target, options);
        expect(report.exit_code).toBe(name === "verify" ? 4 : 3);
        const reported = name === "verify" ? report.databases : report.refused;
        expect(reported.map((item) => [item.path, item.reason])).toEqual([[path, expect.stringContaining(backup)]]);
        expect([...report.left_alone, ...(name === "verify" ? report.refused : report.databases)]).not.toContainEqual(
          expect.objectContaining({ path }),
        );
      }
      writeFileSync(path, whole);
    }
  });
});

test.each(["plan", "up", "status", "down"] as const)(
  "%s names the backup of a database that is damaged after its header",
  async (name) => {
    const path = join(freshFolder(), "m.db");
    databaseAt(path);
    await migrate(path);
    damage(path, (bytes) => bytes.subarray(0, 8000));
    const { code, stdout } = await runProgram(name, path);
    expect(code).toBe(3);
    expect(stdout).toContain(`Its backup is ${path}.v15.bak.`);
  },
);

test("verify refuses a database that is damaged after its header and has no backup", async () => {
  const path = join(freshFolder(), "m.db");
  databaseAt(path);
  damage(path, (bytes) => bytes.subarray(0, 8000));
  expect(await verifyMigration(path)).toMatchObject({ exit_code: 3, databases: [{ status: "refused" }] });
});

test("refuses a damaged database inside a state directory, and archives nothing", async () => {
  const states = join(freshFolder(), "empathy_state");
  databaseAt(join(states, "metrics.db"));
  damage(join(states, "metrics.db"), (bytes) => bytes.fill(0, 0, 100));
  writeFileSync(join(states, "alice.json"), '{"user_id": "alice", "trust_level": 0.5}');
  expect(await migrate(states)).toMatchObject({ exit_code: 3, state_directories: [{ status: "not_started" }] });
});

test.each([
  ["cache.db", randomBytes(4096)],
  ["notes.db", Buffer.from("text")],
  ["metrics.db", Buffer.alloc(0)],
  ["metrics.txt", Buffer.from("metrics")],
  ["picture.png", randomBytes(300)],
])("%s in a searched directory is left alone", async (name, bytes) => {
  const folder = freshFolder();
  writeFileSync(join(folder, name), bytes);
  for (const [called, command] of Object.entries(COMMANDS))
    expect(await command(folder)).toMatchObject({ exit_code: called === "verify" ? 1 : 0, refused: [] });
});

test.each([
  ["notes.txt", "text, as of `data/*`"],
  ["library.json", '{"patterns": []}'],
  ["alice.json", '{"user_id": "älice", "trust_level": 1}'],
])("leaves the text file %s alone, also as a target", async (name, text) => {
  const path = join(freshFolder(), name);
  writeFileSync(path, text);
  expect(await planMigration(path)).toMatchObject({ exit_code: 0, refused: [], left_alone: [{ path }] });
});
