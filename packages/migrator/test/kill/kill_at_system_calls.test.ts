import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nameOf, spread } from "../../../../dev/soak/src/system_calls/points.ts";
import { disturb } from "../../../../dev/soak/src/migrations/disturb.ts";
import { type Rehearsed, rehearse } from "../../../../dev/soak/src/migrations/rehearsal.ts";
import { type Scenario, scenarioNamed } from "../../../../dev/soak/src/migrations/scenarios.ts";
import { copyOf } from "../../../../dev/soak/src/system_calls/copy_of.ts";
import { sideBySide } from "../../../../dev/soak/src/system_calls/side_by_side.ts";
import { canTrace } from "../../../../dev/soak/src/system_calls/strace.ts";
import { tasksAt, type Way } from "../../../../dev/soak/src/migrations/tasks.ts";
import { freshFolder } from "../support/folder.ts";
import { runProgram } from "../support/run_program.ts";
import { needs } from "../../../../test/needs.ts";

/** A selection of the scenarios that `pnpm soak crash` disturbs at every system call. */
const KILLED = [
  "up field-a-invalid --invalid-rows quarantine",
  "up field-a-wal",
  "up field-a --no-backup",
  "up levels-from-states --missing-level from-state,2",
  "down after up both-a-15",
  "prune --backups --yes after up persistence-directory",
  "down prune --backups --yes after up persistence-directory",
];
const FAILING = ["up persistence-directory", "down prune --backups --yes after up persistence-directory"];
const INTERRUPTED = ["up persistence-directory"];

const isTraceable = canTrace();

test.each(KILLED)(
  "killed at system calls that change the disk: %s is completely old or completely new, and the next run finishes",
  needs("strace", !isTraceable),
  (name) => expect(disturbed(name, 5, "kill")).resolves.toEqual([]),
);

test.each(FAILING)(
  "if system calls fail with EIO or ENOSPC: %s is never half done, and reports the truth",
  needs("strace", !isTraceable),
  (name) => expect(disturbed(name, 5, "fail")).resolves.toEqual([]),
);

test.each(INTERRUPTED)(
  "interrupted at system calls: %s is rolled back or complete",
  needs("strace", !isTraceable),
  (name) => expect(disturbed(name, 4, "interrupt")).resolves.toEqual([]),
);

/** The directory of every rehearsal, by the name of its scenario; all are needed until the end of the file. */
const places = freshFolder();
const rehearsals = new Map<string, Promise<Rehearsed>>();

/** Rehearses each scenario once, since some are disturbed in several ways. */
function rehearsalOf(name: string, place: string): Promise<Rehearsed> {
  const known = rehearsals.get(name);
  if (known !== undefined) return known;
  mkdirSync(place);
  const rehearsal = prepared(scenarioNamed(name)).then((scenario) => rehearse(scenario, place));
  rehearsals.set(name, rehearsal);
  return rehearsal;
}

/** The same scenario after its earlier commands, which run in this process, since only the last one is disturbed. */
async function prepared(scenario: Scenario): Promise<Scenario> {
  if (scenario.earlier.length === 0) return scenario;
  const data = join(freshFolder(), "data");
  mkdirSync(data);
  scenario.layOut(data);
  for (const words of scenario.earlier) expect(await runProgram(...words, data)).toMatchObject({ code: 0 });
  return { ...scenario, layOut: (folder) => void copyOf(data, folder), earlier: [] };
}

async function disturbed(name: string, points: number, way: Way): Promise<string[]> {
  const place = join(places, name.replaceAll(" ", "_"));
  const tasks = tasksAt(await rehearsalOf(name, place), place, way);
  expect(tasks.length).toBeGreaterThan(points);
  const tried = await sideBySide(spread(tasks, points, 0), async ({ rehearsed, point, fault }) =>
    (await disturb(rehearsed, point, fault, place)).faults.map((text) => `${fault} at ${nameOf(point)}: ${text}`),
  );
  return tried.flat();
}
