import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { migrate } from "../support/migrate.ts";
import {
  type Call,
  canTrace,
  changesBelow,
  listingCalls,
  readCalls,
} from "../../../../dev/soak/src/system_calls/strace.ts";
import { freshFolder } from "../support/folder.ts";
import { layOutLegacy } from "../../../../test/legacy/legacy_fixtures.ts";
import { migratorCommand } from "../../../../test/programs.ts";
import { needs } from "../../../../test/needs.ts";

// A reader of a database in WAL mode creates a `-shm` file, and rolls back the journal of a killed writer.

const NAMES = [
  "field-a",
  "field-a-wal",
  "field-a-hot-journal",
  "documented-15-wal",
  "field-b-hot-journal",
  "both-a-15",
];

function laidOut(): string {
  const folder = freshFolder();
  for (const name of NAMES) layOutLegacy(name, folder);
  layOutStates("field", join(folder, "empathy_state"));
  return folder;
}

/** The system calls of a command that change something below a directory. */
function changesOf(folder: string, ...words: string[]): string[] {
  const log = join(freshFolder(), "calls");
  const [program = "", ...rest] = [...listingCalls(log), ...migratorCommand(...words, folder)];
  const { status, stderr } = spawnSync(program, rest, { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  const calls = readCalls(readFileSync(log, "utf8"));
  expect(calls.some(({ name }) => name === "execve")).toBe(true);
  return calls
    .filter((call) => changesBelow(folder, call) && !isHarmless(folder, call))
    .map(({ name, text }) => `${name} ${text}`);
}

/**
 * True for a copy to another place, which only reads here; and for the owner that SQLite sets, as root, on a journal
 * that it reads: the owner of the database, who owns it already.
 */
function isHarmless(folder: string, { name, text }: Pick<Call, "name" | "text">): boolean {
  if (name === "copy_file_range") return !text.slice(text.indexOf(">") + 1).includes(folder);
  return name === "fchown" && text.includes("-journal>");
}

describe("makes no system call that changes data", needs("strace", !canTrace()), () => {
  test.each([["plan", "--missing-level", "3"], ["status"]])("%s, before a migration", (...words) => {
    expect(changesOf(laidOut(), ...words)).toEqual([]);
  });

  test("verify, status and dry runs, after a migration", async () => {
    const folder = laidOut();
    expect((await migrate(folder, { missingLevel: 3 })).exit_code).toBe(0);
    for (const words of [["plan"], ["status"], ["verify"], ["down", "--dry-run"], ["prune", "--dry-run"]])
      expect(changesOf(folder, ...words), words.join(" ")).toEqual([]);
    // Proves that the trace records changes.
    expect(changesOf(folder, "down", "--yes").length).toBeGreaterThan(20);
  });
});
