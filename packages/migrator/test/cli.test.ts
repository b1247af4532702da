import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutMigration } from "../../../fixtures/lay_out.ts";
import { fixture } from "../../../fixtures/paths.ts";
import { freshFolder } from "./folder.ts";
import { connect, DOCUMENTED_15, makeDatabase } from "./legacy_database.ts";
import { runProgram } from "./program.ts";
import { schemaErrors } from "./report_schema.ts";

describe("exit code", () => {
  test("0: plan, up, up again, verify", () => {
    const folder = freshFolder();
    layOutMigration("persistence-directory", folder);
    expect(runProgram("plan", folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Nothing was changed. Found 2 to migrate or archive"),
    });
    expect(runProgram("up", folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Done: 1 migrated, 1 archived."),
    });
    expect(runProgram("up", "--quiet", folder)).toEqual({
      code: 0,
      stdout: "Nothing to do; nothing was changed.\n",
      stderr: "",
    });
    expect(runProgram("verify", folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("every value and storage class equal"),
    });
  });

  test("2: wrong usage, in one sentence", () => {
    const cases: [string[], string][] = [
      [["plan"], "plan needs a target"],
      [["sideways", "x"], 'There is no command "sideways"'],
      [["plan", "--bogus", "x"], "--bogus"],
      [["plan", "no such file"], "no such file or directory"],
      [["verify", "--yes", "x"], "--yes means nothing to verify"],
      [["up", "--invalid-rows", "drop", "."], "invalidRows"],
      [[], "Which command?"],
    ];
    for (const [words, sentence] of cases) {
      const { code, stderr, stdout } = runProgram("--quiet", ...words);
      expect({ code, stdout, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 2, stdout: "", lines: 1 });
      expect(stderr).toContain(sentence);
    }
  });

  test("3: a decision is needed, and the way out is named", () => {
    const path = join(freshFolder(), "m.db");
    copyFileSync(fixture("legacy", "field-a-odd.db"), path);
    expect(runProgram("up", path)).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("--invalid-rows quarantine"),
    });
    expect(runProgram("up", "--invalid-rows", "quarantine", path)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("30 after and 10 in quarantine"),
    });
  });

  test("4: verification differs", () => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, DOCUMENTED_15, "INSERT INTO interactions (user_id, empathy_level, success) VALUES ('a', 1, 1)");
    runProgram("up", "-q", path);
    const database = connect(path);
    database.exec("UPDATE interactions SET level = 2");
    database.close();
    expect(runProgram("verify", path)).toMatchObject({
      code: 4,
      stdout: expect.stringContaining("1 rows of interactions are not as they were"),
    });
  });
});

test("--json gives a report as its schema says on stdout, and a JSON object per line on stderr", () => {
  const folder = freshFolder();
  layOutMigration("field-a", folder);
  const { stdout, stderr } = runProgram("up", "--json", folder);
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

test("names that would move the cursor are shown as escapes", () => {
  const folder = freshFolder();
  makeDatabase(join(folder, "a\u001b[2Jb\n.db"), DOCUMENTED_15);
  const { stdout } = runProgram("plan", folder);
  expect(stdout).toContain("a\\u001b[2Jb\\u000a.db");
  expect(stdout).not.toContain("\u001b");
});

test("help has a text for the program and for each command, with examples, and names no command that does not exist", () => {
  for (const words of [["--help"], ["plan", "--help"], ["up", "-h"], ["verify", "--help"]]) {
    const { code, stdout } = runProgram(...words);
    expect(code).toBe(0);
    expect(stdout).toMatch(/perdura-migrate \w+ .*\.\/data/);
    expect(stdout).toMatch(/Exit codes/);
    expect(stdout).not.toMatch(/perdura-migrate (?:status|down|prune|states)/);
  }
});

test("the published files name the package, the license and the schema that exist", () => {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { files: string[] };
  expect(manifest.files).toContain("schemas");
  expect(existsSync(new URL("../schemas/report.schema.json", import.meta.url))).toBe(true);
});
