import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { commandsOf, optionNamesOf } from "@perdura/cli/program_table.js";
import { TABLE } from "../../src/cli/table.ts";
import { layOutMigration } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { connect, DOCUMENTED_15, makeDatabase } from "../../../../test/legacy/legacy_database.ts";
import { runProgram } from "../support/run_program.ts";
import { schemaErrors } from "../support/report_schema.ts";

describe("exit code", () => {
  test("0: plan, up, up again, verify", async () => {
    const folder = freshFolder();
    layOutMigration("persistence-directory", folder);
    expect(await runProgram("plan", folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Nothing was changed. Found 2 to migrate or archive"),
    });
    expect(await runProgram("up", folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Done: 1 migrated, 1 archived."),
    });
    expect(await runProgram("up", "--quiet", folder)).toEqual({
      code: 0,
      stdout: "Nothing to do; nothing was changed.\n",
      stderr: "",
    });
    expect(await runProgram("verify", folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("all values and storage classes equal"),
    });
  });

  test("2: reports wrong usage in one sentence", async () => {
    const cases: [string[], string][] = [
      [["plan"], "plan needs TARGET"],
      [["plan", "no such file"], "no such file or directory"],
      [["up", "--backup-dir", "no such directory", "."], "--backup-dir: expected an existing directory"],
      [["verify", "--states", "no such directory", "."], "--states: expected an existing directory"],
      [["states", "no such archive"], "no such archive"],
    ];
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const [words, sentence] of cases) {
      // As in a process of its own: an earlier command of this one has chosen a directory.
      vi.stubEnv("SQLITE_TMPDIR", undefined);
      const { code, stderr, stdout } = await runProgram("--quiet", ...words);
      expect({ code, stdout, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 2, stdout: "", lines: 1 });
      expect(stderr).toContain(sentence);
    }
  });

  test("3: reports the needed decision and how to make it", async () => {
    const path = join(freshFolder(), "m.db");
    copyFileSync(fixture("legacy", "field-a-invalid.db"), path);
    expect(await runProgram("up", path)).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("--invalid-rows quarantine"),
    });
    expect(await runProgram("up", "--invalid-rows", "quarantine", path)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("29 after and 11 in quarantine"),
    });
  });

  test("3: prune removes nothing without a terminal and without --yes", async () => {
    const folder = freshFolder();
    layOutMigration("persistence-directory", folder);
    await migrate(folder);
    const before = stampOf(folder);
    for (const words of [[], ["--json"], ["--quiet"]])
      expect(await runProgram("prune", ...words, folder)).toMatchObject({
        code: 3,
        stdout: "",
        stderr: expect.stringContaining("Add --yes to confirm, or --dry-run to see what would be removed"),
      });
    expect(await runProgram("prune", "--dry-run", folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`perdura-migrate prune ${folder}`),
    });
    expect(stampOf(folder)).toBe(before);
    expect(await runProgram("prune", "--yes", "--quiet", folder)).toMatchObject({
      code: 0,
      stdout: "Done: 1 pruned.\n",
    });
  });

  test("4: verification differs", async () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, DOCUMENTED_15, "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('a', 1, 1)");
    await runProgram("up", "-q", path);
    const database = connect(path);
    database.exec("UPDATE interactions SET level = 2");
    database.close();
    expect(await runProgram("verify", path)).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("1 row of interactions differs from the original"),
    });
  });
});

test("--json prints a report that matches its schema on stdout, and a JSON object per line on stderr", async () => {
  const folder = freshFolder();
  layOutMigration("field-a", folder);
  const { stdout, stderr } = await runProgram("up", "--json", folder);
  const report = JSON.parse(stdout) as { report_path: string };
  expect(schemaErrors(report)).toEqual([]);
  const events = stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { stage: string });
  expect(new Set(events.map(({ stage }) => stage))).toEqual(
    new Set(["discover", "inspect", "lock", "backup", "change", "verify", "commit"]),
  );
  expect(JSON.parse(readFileSync(join(folder, "perdura-migration-report.json"), "utf8"))).toMatchObject({
    exit_code: 0,
    report_path: report.report_path,
  });
});

test("escapes control characters in names", async () => {
  const folder = freshFolder();
  makeDatabase(join(folder, "a\u001b[2Jb\n.db"), DOCUMENTED_15);
  const { stdout } = await runProgram("plan", folder);
  expect(stdout).toContain("a\\u001b[2Jb\\u000a.db");
  expect(stdout).not.toContain("\u001b");
});

test("prints an overview of all commands without arguments", async () => {
  const { code, stdout, stderr } = await runProgram();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const command of commandsOf(TABLE)) expect(stdout).toMatch(new RegExp(`^  ${command} +\\w`, "m"));
  expect((await runProgram("--help")).stdout).toBe(stdout);
});

test.each(commandsOf(TABLE))(
  "%s --help shows usage, options, examples and exit codes within 80 columns",
  async (command) => {
    const { code, stdout } = await runProgram(command, "--help");
    expect(code).toBe(0);
    expect(stdout.match(new RegExp(`^(?:  )?perdura-migrate ${command} `, "gm"))?.length).toBeGreaterThan(1);
    expect(stdout).toMatch(/^Exit codes:$/m);
    const shown = [...stdout.matchAll(/^  (?:-\w, | {4})--([\w-]+)/gm)].map(([, name]) => name);
    expect(shown).toEqual(optionNamesOf(TABLE, command));
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  },
);

test("the published files contain the license and all schemas", () => {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    files: string[];
  };
  expect(manifest.files).toContain("schemas");
  for (const name of ["report", "progress", "states"])
    expect(existsSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url))).toBe(true);
});
