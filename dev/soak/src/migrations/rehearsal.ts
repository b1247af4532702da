import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migratorCommand } from "../../../../test/programs.ts";
import { copyOf } from "../system_calls/copy_of.ts";
import { type DataState, isReport, lookAt, namesIn } from "./data_state.ts";
import { type Point, pointsIn } from "../system_calls/points.ts";
import type { Scenario } from "./scenarios.ts";
import { run } from "../system_calls/run_command.ts";
import { environment, runSpoiled } from "./disturbed_run.ts";
import { listingCalls, readCalls } from "../system_calls/strace.ts";
import { unsyncedAtOutput } from "../system_calls/unsynced.ts";

/** A scenario whose data are prepared, and that was run once undisturbed. */
export interface Rehearsed {
  scenario: Scenario;
  /** Directory with the prepared data; to be copied. */
  template: string;
  before: DataState;
  after: DataState;
  namesBefore: string[];
  /** Without reports. */
  namesAfter: string[];
  points: Point[];
  /** Data that was not synced when the run reported success. */
  unsynced: string[];
}

/**
 * Prepares the data of a scenario, and runs it once to record its system calls and its result.
 *
 * @param place An empty directory for it, on the file system under test.
 * @throws Error if the undisturbed run does not exit with 0.
 */
export async function rehearse(scenario: Scenario, place: string): Promise<Rehearsed> {
  const template = await laidOut(scenario, place);
  const rehearsed = await listed(scenario, place, template);
  if (scenario.cutOff === undefined) return rehearsed;
  return listed(scenario, place, await cutOff(rehearsed, place, scenario.cutOff));
}

/** The same without a list of system calls: the run may use another file system. */
export async function rehearseWithoutCalls(scenario: Scenario, place: string): Promise<Rehearsed> {
  return runOnce(scenario, place, await laidOut(scenario, place), []);
}

/** Prepares the data of a scenario and runs its earlier commands; returns the directory. */
async function laidOut(scenario: Scenario, place: string): Promise<string> {
  const template = join(place, "template");
  mkdirSync(join(template, "data"), { recursive: true });
  mkdirSync(join(template, "tmp"));
  scenario.layOut(join(template, "data"));
  for (const words of scenario.earlier) await mustSucceed(words, template);
  return template;
}

async function listed(scenario: Scenario, place: string, template: string): Promise<Rehearsed> {
  const log = join(place, "calls");
  const rehearsed = await runOnce(scenario, place, template, listingCalls(log));
  const calls = readCalls(readFileSync(log, "utf8"));
  const whole = join(place, "whole");
  return { ...rehearsed, points: pointsIn(calls, whole), unsynced: unsyncedAtOutput(calls, join(whole, "data")) };
}

async function runOnce(scenario: Scenario, place: string, template: string, before: string[]): Promise<Rehearsed> {
  const whole = copyOf(template, join(place, "whole"));
  await mustSucceed(scenario.words, whole, before);
  return {
    scenario,
    template,
    before: lookAt(join(copyOf(template, join(place, "before")), "data"), scenario.states),
    after: lookAt(join(copyOf(whole, join(place, "after")), "data"), scenario.states),
    namesBefore: namesIn(join(template, "data")),
    namesAfter: namesIn(join(whole, "data")).filter((name) => !isReport(name)),
    points: [],
    unsynced: [],
  };
}

async function mustSucceed(words: readonly string[], directory: string, before: string[] = []): Promise<void> {
  const command = [...before, ...migratorCommand(...words, join(directory, "data"))];
  const { code, stdout, stderr } = await run(command, environment(directory));
  if (code !== 0) throw new Error(`${words.join(" ")} was not disturbed, but ended with ${code}:\n${stdout}${stderr}`);
}

/** Data of a run that was killed after that part of its calls. */
async function cutOff({ scenario, template, points }: Rehearsed, place: string, part: number): Promise<string> {
  const directory = copyOf(template, join(place, "cut"));
  const own = points.filter(({ process }) => process === 0);
  const point = own[Math.floor(own.length * part)] as Point;
  const words = [...scenario.words, join(directory, "data")];
  const { code } = await runSpoiled(directory, words, point, "kill", join(place, "calls"));
  if (code !== null) throw new Error(`${scenario.name}: expected a kill, but ended with ${code}.`);
  return directory;
}
