import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { listArchivedStates } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { displayWidth } from "@perdura/cli/display_width.js";
import { statesTable } from "../../src/cli/states_command.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { schemaErrorsOf } from "../support/report_schema.ts";
import { runProgram } from "../support/run_program.ts";

async function archived(fill: (directory: string) => void): Promise<{ states: string; archive: string }> {
  const states = join(freshFolder(), "empathy_state");
  mkdirSync(states);
  fill(states);
  const report = await migrate(states);
  return { states, archive: report.state_directories[0]?.archive?.path as string };
}

test("prints a table with the reasons of broken states", async () => {
  const { archive } = await archived((directory) => {
    layOutStates("documented", directory);
    writeFileSync(join(directory, "torn.json"), '{"user_id": "torn", "trust');
  });
  const { code, stdout } = await runProgram("states", archive);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^user +level +target +trust +interactions +successes +failures +last$/m);
  expect(stdout).toMatch(/^alice +3 +4 +0\.55 +12 +9 +3 +2025-12-01T21:19:02$/m);
  expect(stdout).toMatch(/^torn +- +- +- .*broken: /m);
  expect(stdout).toMatch(/\n9 states, 1 broken\.\n/);
  expect((await runProgram("states", "-q", archive)).stdout).toBe("9 states, 1 broken.\n");
});

test("--json prints one JSON object per state that matches the schema", async () => {
  const { archive } = await archived((directory) => void layOutStates("broken", directory));
  const { code, stdout, stderr } = await runProgram("states", "--json", archive);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([...listArchivedStates(archive)]);
  for (const line of lines) expect(schemaErrorsOf("states", JSON.parse(line))).toEqual([]);
});

test("--extract writes all entries unchanged to the given directory", async () => {
  const { states, archive } = await archived((directory) => void layOutStates("field", directory));
  const place = freshFolder();
  const target = join(place, "found again");
  const { code, stdout } = await runProgram("states", "--extract", target, "--json", archive);
  expect(code).toBe(0);
  const result = JSON.parse(stdout) as unknown;
  expect(schemaErrorsOf("states", result)).toEqual([]);
  expect(result).toMatchObject({ directory: target, entries: readdirSync(states, { recursive: true }).length });
  expect(stampOf(target)).toBe(stampOf(states));
  expect(await runProgram("states", "--extract", target, archive)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--extract: expected a new or empty directory"),
  });
});

test("names a file that is not an archive, and writes nothing", async () => {
  const { archive } = await archived((directory) => void layOutStates("documented", directory));
  const other = join(dirname(archive), "other.sqlar");
  writeFileSync(other, "no database");
  const { code, stderr } = await runProgram("states", other);
  expect(code).toBe(1);
  expect(stderr).toContain(basename(other));
  expect((await runProgram("states", join(dirname(archive), "nothing here"))).code).toBe(2);
});

test.each([20, 40, 60, 80, 120])("drops the least important columns of the table at a width of %i", async (width) => {
  const { archive } = await archived((directory) => void layOutStates("field", directory));
  const states = [...listArchivedStates(archive)];
  const table = statesTable(states, width);
  expect(table.title()).toMatch(/^user/);
  for (const line of [table.title(), ...states.map((state) => table.row(state))]) {
    expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(line).not.toMatch(/[\u0000-\u001f]/);
  }
});
