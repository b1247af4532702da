import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { shellWord } from "../../src/core/shell_words.ts";
import { freshFolder } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";
import { runProgram } from "../support/run_program.ts";

/** The commands that a run suggests, in order. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout } = await runProgram(...words);
  return [...stdout.matchAll(/^ {2}(perdura-migrate .*)$/gm)].map(([, line]) => line as string);
}

/** Runs a line with the words that a shell makes of it. */
function paste(line: string): ReturnType<typeof runProgram> {
  const script = `perdura-migrate() { printf '%s\\0' "$@"; }; ${line}`;
  const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  return runProgram(...stdout.split("\0").slice(0, -1));
}

/** A folder whose name a shell would split or expand. */
function namedForShells(...fixtures: string[]): string {
  const folder = join(freshFolder(), "it's $HOME & more");
  mkdirSync(folder);
  for (const name of fixtures) copyFileSync(fixture("legacy", `${name}.db`), join(folder, `${name}.db`));
  return folder;
}

test("the suggested commands lead from plan to up, verify and down", async () => {
  const folder = namedForShells("field-a-invalid", "field-c");
  layOutStates("documented", join(folder, "state"));
  const [fromState, plain] = await offered("plan", folder);
  expect(fromState).toContain("up --missing-level from-state,1 --invalid-rows quarantine");
  expect(plain).toContain("up --missing-level 1 --invalid-rows quarantine");
  expect(await paste(`${fromState} --rehearse`)).toMatchObject({ code: 0 });
  const done = await paste(fromState as string);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("Done: 2 migrated, 1 archived.") });
  const after = [...done.stdout.matchAll(/^ {2}(perdura-migrate .*)$/gm)].map(([, line]) => line as string);
  expect(after.map((line) => line.split(" ")[1])).toEqual(["verify", "down", "prune"]);
  const [verify, down, prune] = after as [string, string, string];
  expect((await paste(verify)).code).toBe(0);
  expect((await paste(`${prune} --yes`)).code).toBe(0);
  expect((await paste(down)).code).toBe(0);
  expect(await offered("plan", folder)).toEqual([fromState, plain]);
});

test("repeats options in suggested commands, except those for a single run", async () => {
  const folder = namedForShells("field-a");
  const backups = freshFolder();
  const [up, rehearsal] = await offered("plan", "--fence", "none", "--backup-dir", backups, "--no-color", folder);
  expect(up).toBe(`perdura-migrate up --fence none --backup-dir ${backups} ${shellWord(folder)}`);
  expect(rehearsal).toBe(`perdura-migrate up --fence none --backup-dir ${backups} --rehearse ${shellWord(folder)}`);
});

test("suggests other targets if no option can make the decision", async () => {
  const folder = namedForShells("field-a");
  const unknown = connect(join(folder, "unknown.db"));
  unknown.exec("CREATE TABLE metrics (user_id TEXT, empathy_level INTEGER)");
  unknown.close();
  expect(await runProgram("plan", folder)).toMatchObject({
    code: 3,
    stdout: expect.stringContaining("To migrate the other items first, specify each of them as a target."),
  });
});

test("suggests no quarantine while a row cannot leave its table", async () => {
  const folder = namedForShells("documented-15-invalid", "field-a");
  const database = connect(join(folder, "documented-15-invalid.db"));
  database.exec(
    "CREATE TABLE notes (of REFERENCES interactions); INSERT INTO notes SELECT id FROM interactions WHERE empathy_level = 0 OR empathy_level > 5",
  );
  database.close();
  expect(await offered("plan", folder)).toEqual([]);
  expect(await offered("up", "--invalid-rows", "quarantine", folder)).toEqual([]);
});

test("suggests the same command for later while another process holds the database", async () => {
  const folder = namedForShells("field-a");
  const writer = connect(join(folder, "field-a.db"));
  writer.exec("BEGIN EXCLUSIVE");
  expect(await offered("up", folder)).toEqual([`perdura-migrate up ${shellWord(folder)}`]);
  writer.close();
});

test("suggests nothing if nothing is left to do", async () => {
  const folder = namedForShells("field-a");
  await runProgram("up", "-q", folder);
  for (const command of ["plan", "up", "verify", "status"]) expect(await offered(command, folder)).toEqual([]);
});
