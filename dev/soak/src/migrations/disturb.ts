import { rmSync } from "node:fs";
import { join } from "node:path";
import { copyOf } from "../system_calls/copy_of.ts";
import { lookAt } from "./data_state.ts";
import { finish, judgeData, leftBehind } from "./judge.ts";
import { judgeReport } from "./judge_report.ts";
import { nameOf, type Point } from "../system_calls/points.ts";
import type { Rehearsed } from "./rehearsal.ts";
import { type Ending, type Fault, runSpoiled } from "./spoiled_run.ts";

/** What came of one disturbed run. */
export interface Trial {
  ending: Ending;
  /** What is wrong, in words; empty when all is well. */
  faults: string[];
}

/** How often a point is aimed at. */
const ATTEMPTS = 25;

/**
 * Runs a scenario with one system call spoiled, and judges what is left.
 *
 * @param place A directory for it, on the file system that is to be tried.
 */
export async function disturb(rehearsed: Rehearsed, point: Point, fault: Fault, place: string): Promise<Trial> {
  const directory = join(place, `${nameOf(point)}:${fault}`);
  const words = [...rehearsed.scenario.words, join(directory, "data")];
  let { ordinal } = point;
  for (let attempt = 1; ; attempt += 1) {
    copyOf(rehearsed.template, directory);
    const ending = await runSpoiled(directory, words, { ...point, ordinal }, fault, `${directory}.calls`);
    const hit = ending.ordinal === ordinal;
    // Calls of that name that have nothing to do with data come and go, so that another one was hit.
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
  // Who is not allowed to remove a file leaves it.
  const mustBeTidy = fault !== "kill" && !(fault.startsWith("error") && /unlink|rmdir/.test(point.name));
  return [
    ...(fault === "kill" ? judgeDeath(ending) : judgeReport(rehearsed, now, ending, codesAfter(fault))),
    ...judgeData(rehearsed, directory, now),
    ...(mustBeTidy ? leftBehind(rehearsed, directory) : []),
    ...(await finish(rehearsed, directory)),
  ];
}

function judgeDeath({ code, stdout, stderr }: Ending): string[] {
  return code === null ? [] : [`not killed, but ended with ${code}: ${stdout}${stderr}`];
}

/** A call that fails may be one that is not needed, and a wish to end may come too late. */
function codesAfter(fault: Fault): readonly unknown[] {
  return fault.startsWith("signal") ? [0, 130] : [0, 1, 3, 5];
}
