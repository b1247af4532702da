import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterMiss } from "../system_calls/after_miss.ts";
import { copyWithoutTimes } from "../system_calls/copy_of.ts";
import { type Ended, run } from "../system_calls/run_command.ts";
import { type Call, readCalls, spoiling, touchesBelow } from "../system_calls/strace.ts";
import { faultsAfterError, faultsAfterKill } from "./judge.ts";
import { runWithSpoiledThread } from "./disturb_thread.ts";
import { commandFor, environment, nameOf, type Place, type Rehearsed } from "./rehearsal.ts";

/** Effect at a place: the process is killed, or the call fails. */
export type Fault = "kill" | `error=${string}`;

/** Number of attempts to hit a place: the number of calls with its name outside the directory varies. */
const ATTEMPTS = 25;

/**
 * Runs an operation in which one system call fails or is interrupted, and judges the result.
 *
 * @param place A directory for it, on the file system under test.
 * @returns Faults, in words; undefined if the call was not made.
 */
export async function disturb(
  rehearsed: Rehearsed,
  point: Place,
  fault: Fault,
  place: string,
): Promise<string[] | undefined> {
  const directory = join(place, `${nameOf(point)}:${fault}`);
  const log = `${directory}.calls`;
  // strace counts the calls of a thread from the moment it attaches.
  let ordinal = point.inThread ? point.number : point.ordinal;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      copyWithoutTimes(rehearsed.template, directory);
      const ended = await spoil(rehearsed, directory, { ...point, ordinal }, fault, place);
      const calls = existsSync(log) ? readCalls(readFileSync(log, "utf8")) : [];
      const { hit, next } = whereWas(calls, point, ordinal, directory);
      if (hit && fault === "kill") return await faultsAfterKill(rehearsed, directory, ended);
      if (hit) return await faultsAfterError(rehearsed, directory, ended, point);
      ordinal = next;
    }
    return undefined;
  } finally {
    for (const suffix of ["", ".calls", ".look"]) rmSync(directory + suffix, { recursive: true, force: true });
  }
}

function spoil(
  { operation }: Rehearsed,
  directory: string,
  { name, ordinal, inThread }: Place,
  fault: Fault,
  place: string,
): Promise<Ended> {
  const how = fault === "kill" ? "signal=KILL" : fault;
  const [log, command] = [`${directory}.calls`, commandFor(operation, directory)];
  if (inThread) return runWithSpoiledThread(command, environment(place), log, { name, ordinal }, how);
  return run(
    [...spoiling(log, { name, ordinal }, how), "--", ...command],
    environment(place),
    afterMiss(directory, log),
  );
}

/** True if the disturbed call is the intended one; otherwise the next ordinal to try. */
function whereWas(
  calls: readonly Call[],
  { number }: Place,
  ordinal: number,
  directory: string,
): { hit: boolean; next: number } {
  const wanted = calls.filter((call) => touchesBelow(directory, call))[number - 1];
  if (wanted === undefined) return { hit: false, next: ordinal + 1 };
  return { hit: wanted.ordinal === ordinal, next: wanted.ordinal };
}
