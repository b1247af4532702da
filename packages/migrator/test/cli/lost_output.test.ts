import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutMigration } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { migratorCommand } from "../../../../test/programs.ts";
import { needs } from "../../../../test/needs.ts";

/** Runs the program through a line for the shell, in which `"$@"` is its command. */
function runBy(line: string, ...words: string[]): { code: number | null; stderr: string } {
  const { status, stderr } = spawnSync("sh", ["-c", line, "sh", ...migratorCommand(...words)], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { code: status, stderr };
}

const FULL = '"$@" >/dev/full';

function layOut(): string {
  const folder = freshFolder();
  layOutMigration("persistence-directory", folder);
  return folder;
}

const LOST = "perdura-migrate: The output could not be written (ENOSPC: no space left on device, write).";

// Linux has the device; elsewhere a full disk has the same effect.
describe("output to a full device", needs("linux", !existsSync("/dev/full")), () => {
  test.each([
    ["plan", "--quiet"],
    ["plan", "--quiet", "--json"],
    ["status", "--quiet"],
  ])("%s %s %s: exit code 1, and nothing was changed", (...words) => {
    const folder = layOut();
    const before = stampOf(folder);
    const { code, stderr } = runBy(FULL, ...words, folder);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^[^\n]*\n$/);
    expect(stderr).toContain(LOST);
    expect(stampOf(folder)).toBe(before);
  });

  test.each(["--quiet", "--json"])(
    "up %s: exits with 1, and reports what was done and the path of the report",
    (option) => {
      const folder = layOut();
      const { code, stderr } = runBy(FULL, "up", option, folder);
      expect(code).toBe(1);
      expect(stderr.trimEnd().split("\n").at(-1)).toBe(
        `${LOST} Done: 1 migrated, 1 archived. The report is in ${join(folder, "perdura-migration-report.json")}.`,
      );
    },
  );

  test.each([["--no-color"], ["--json"], ["--quiet"]])("states %s", async (option) => {
    const folder = layOut();
    await migrate(folder);
    const archive = join(folder, "state.v15.sqlar");
    expect(runBy(FULL, "states", option, archive)).toEqual({
      code: 1,
      stderr: `${LOST}\n`,
    });
    const target = join(folder, "looked at");
    expect(runBy(FULL, "states", "--quiet", "--extract", target, archive)).toEqual({
      code: 1,
      stderr: `${LOST} Extracted 8 entries into ${shownPath(target)}.\n`,
    });
    expect(readdirSync(target, { recursive: true })).toHaveLength(8);
  });

  test("--help", () => {
    expect(runBy(FULL, "--help")).toEqual({ code: 1, stderr: `${LOST}\n` });
  });

  test("keeps a more specific exit code", () => {
    const path = join(freshFolder(), "m.db");
    copyFileSync(fixture("legacy", "field-a-invalid.db"), path);
    const { code, stderr } = runBy(FULL, "up", "--quiet", path);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(`${LOST} Nothing was changed`) });
  });
});

test("treats partly written output as lost", () => {
  const out = join(freshFolder(), "out");
  const { code, stderr } = runBy(`ulimit -f 1; "$@" >'${out}'`, "plan", "--quiet", "--json", layOut());
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("could not be written (EFBIG") });
  expect(statSync(out).size).toBeGreaterThan(0);
});

test.each([["--no-color"], ["--json"]])("succeeds if the reader closes the pipe: plan %s", (option) => {
  expect(runBy('("$@"; echo $? >&2) | true', "plan", "--quiet", option, layOut())).toEqual({ code: 0, stderr: "0\n" });
});
