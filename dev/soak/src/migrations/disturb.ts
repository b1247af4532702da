import { rmSync } from "node:fs";
import { join } from "node:path";
import { copyOf } from "../system_calls/copy_of.ts";
import { lookAt } from "./data_state.ts";
import { finish, judgeData, leftBehind } from "./judge.ts";
import { judgeReport } from "./judge_report.ts";
import { nameOf, type Point } from "../system_calls/points.ts";
import type { Rehearsed } from "./rehearsal.ts";
import { type Ending, type Fault, runSpoiled } from "./disturbed_run.ts";

/** Outcome of one disturbed run. */
export interface Trial {
  ending: Ending;
  /** Faults, in words; empty if all is right. */
  faults: string[];
}

/** Number of attempts to hit a point. */
const ATTEMPTS = 25;

/**
 * Runs a scenario in which one system call fails or is interrupted, and judges the result.
 *
 * @param place A directory for it, on the file system under test.
 */
export async function disturb(rehearsed: Rehearsed, point: Point, fault: Fault, place: string): Promise<Trial> {
  const directory = join(place, `${nameOf(point)}:${fault}`);
  const words = [...rehearsed.scenario.words, join(directory, "data")];
  let { ordinal } = point;
  for (let attempt = 1; ; attempt += 1) {
    copyOf(rehearsed.template, directory);
    const ending = await runSpoiled(directory, words, { ...point, ordinal }, fault, `${directory}.calls`);
    const hit = ending.ordinal === ordinal;
    // The number of calls with this name that do not concern the data varies, so that another call was hit.
    ordinal = ending.ordinal ?? ordinal + 1;
    if (!hit && attempt < ATTEMPTS) continue;
    const faults = hit ? await faultsAfter(rehearsed, directory, point, fault, ending) : ["the point was not reached"];
    for (const suffix of ["", ".look"]) rmSync(directory + suffix, { recursive: true, force: true });
    return { ending, faults };
  }
}

async function faultsAfter(
  rehearsed: Rehearsed,
  directory: string,
  point: Point,
  fault: Fault,
  ending: Ending,
): Promise<string[]> {
  const now = lookAt(join(copyOf(directory, `${directory}.look`), "data"), rehearsed.scenario.states);
  // If the removal of a file fails, the file stays.
  const mustBeTidy = fault !== "kill" && !(fault.startsWith("error") && /unlink|rmdir/.test(point.name));
  return [
    ...(fault === "kill" ? judgeDeath(ending) : judgeReport(rehearsed, now, ending, codesAfter(fault))),
    ...judgeData(rehearsed, directory, now),
    ...(mustBeTidy ? leftBehind(rehearsed, directory) : []),
    ...(await finish(rehearsed, directory)),
  ];
}

function judgeDeath({ code, stdout, stderr }: Ending): string[] {
  return code === null ? [] : [`expected a kill, but ended with ${code}: ${stdout}${stderr}`];
}

/** Allowed exit codes: the failed call may be optional, and a signal may arrive too late. */
function codesAfter(fault: Fault): readonly unknown[] {
  return fault.startsWith("signal") ? [0, 130] : [0, 1, 3, 5];
}
