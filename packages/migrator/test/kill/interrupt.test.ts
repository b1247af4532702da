import { copyFileSync, existsSync, mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { differing, lookAt, namesIn } from "../../../../dev/soak/src/migrations/data_state.ts";
import { spread } from "../../../../dev/soak/src/system_calls/points.ts";
import { sideBySide } from "../../../../dev/soak/src/system_calls/side_by_side.ts";
import type { MigrationReport, ProgressEvent } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { endWithOutput } from "../support/program.ts";
import { runProgram } from "../support/run_program.ts";

const DATABASES = ["documented-15-user-objects.db", "field-a-invalid.db", "field-a-wal.db"];

/** The same data with the same times at every call. */
function layOut(): string {
  const folder = join(freshFolder(), "data");
  mkdirSync(folder);
  for (const name of [...DATABASES, "field-a-wal.db-wal"]) copyFileSync(fixture("legacy", name), join(folder, name));
  const states = join(folder, "empathy_state");
  layOutStates("field", states);
  utimesSync(states, 1_700_000_000, 1_700_000_000);
  return folder;
}

const WORDS = ["up", "--json", "--invalid-rows", "quarantine"];
const interrupted = (step: number, signal: string, folder: string): ReturnType<typeof endWithOutput> =>
  endWithOutput("interrupted_cli.ts", String(step), signal, ...WORDS, folder);

const namesOf = (folder: string): string[] => namesIn(folder).filter((name) => !name.startsWith("perdura-migration"));
const before = lookAt(layOut(), ["empathy_state"]);
const whole = layOut();
const { code, stderr } = await runProgram(...WORDS, whole);
expect(code).toBe(0);
const after = lookAt(whole, ["empathy_state"]);
const namesAfter = namesOf(whole);
/** The program prints a line for each step. */
const steps = stderr
  .trim()
  .split("\n")
  .map((_, index) => index + 1);

test.each(["SIGINT", "SIGTERM"])("%s at any step ends the run and rolls back the work in progress", async (signal) => {
  const chosen = signal === "SIGINT" ? spread(steps, 10, 0) : spread(steps, 5, 0.5);
  const wrong = await sideBySide(chosen, async (step) => {
    const folder = layOut();
    const ended = await interrupted(step, signal, folder);
    expect({ step, code: ended.code }).toEqual({ step, code: 130 });
    // No further step; a copy in progress may report once more.
    const later = ended.stderr.trim().split("\n").slice(step);
    expect(later.filter((line) => (JSON.parse(line) as ProgressEvent).done === null)).toEqual([]);
    const report = JSON.parse(ended.stdout) as MigrationReport;
    expect(report).toMatchObject({ exit_code: 130, summary: expect.stringMatching(/[Ii]nterrupted/) });
    const left = namesIn(folder).filter((name) => /perdura-tmp|-journal/.test(name));
    const done = new Set(report.databases.filter(({ status }) => status === "migrated").map(({ path }) => path));
    const now = lookAt(folder, ["empathy_state"]);
    const lies = DATABASES.filter(
      (name) => now.get(name) !== (done.has(join(folder, name)) ? after : before).get(name),
    );
    const archive = existsSync(join(folder, "empathy_state.v15.sqlar"))
      ? ["an archive of an archiving that was not done"]
      : [];
    expect(await migrate(folder, { invalidRows: "quarantine" })).toMatchObject({ exit_code: 0 });
    expect(differing(lookAt(folder, ["empathy_state"]), after)).toEqual([]);
    expect(namesOf(folder)).toEqual(namesAfter);
    return [...left, ...lies, ...archive].map((text) => `step ${step}: ${text}`);
  });
  expect(wrong.flat()).toEqual([]);
});
