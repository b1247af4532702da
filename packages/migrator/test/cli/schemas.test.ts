import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { freshFolder } from "../support/folder.ts";
import { runProgram } from "../support/run_program.ts";
import { schemaErrors, schemaErrorsOf } from "../support/report_schema.ts";

test("every command prints a report and progress that match their schemas", async () => {
  const folder = freshFolder();
  for (const name of ["field-a-invalid", "field-c", "documented-15-invalid", "foreign", "half-upgraded", "both-a-15"])
    copyFileSync(fixture("legacy", `${name}.db`), join(folder, `${name}.db`));
  layOutStates("field", join(folder, "empathy_state"));
  const decided = ["--invalid-rows", "quarantine", "--missing-level", "from-state,2"];
  const lines: [words: string[], command: string, code: number][] = [
    [["plan"], "plan", 3],
    [["status"], "status", 0],
    [["up", "--rehearse", ...decided], "up", 0],
    [["up", ...decided], "up", 0],
    [["up"], "up", 0],
    [["status"], "status", 0],
    [["verify"], "verify", 0],
    [["prune", "--dry-run", "--backups"], "prune", 0],
    [["prune", "--yes"], "prune", 0],
    [["down", "--dry-run"], "down", 0],
    [["down"], "down", 0],
    [["verify"], "verify", 0],
  ];
  for (const [words, command, code] of lines) {
    const seen = await runProgram(...words, "--json", folder);
    expect({ words, code: seen.code, stderr: seen.code === code ? "" : seen.stdout + seen.stderr }).toEqual({
      words,
      code,
      stderr: "",
    });
    const report = JSON.parse(seen.stdout) as { command: string; exit_code: number };
    expect(schemaErrors(report)).toEqual([]);
    expect(report).toMatchObject({ command, exit_code: code });
    for (const line of seen.stderr.trimEnd().split("\n"))
      expect({ line, errors: schemaErrorsOf("progress", JSON.parse(line)) }).toEqual({ line, errors: [] });
  }
});
