import { copyWithoutTimes } from "../system_calls/copy_of.ts";
import type { Ended } from "../system_calls/run_command.ts";
import type { Words } from "./perform.ts";
import { namesIn, type Place, type Rehearsed } from "./rehearsal.ts";

/** Files that belong to a database until its log is written back. */
const OF_A_DATABASE = /-(?:wal|shm|journal)$/;

/** Warnings that are allowed in addition to the result: the use of a fallback, or a file that was left. */
const WARNING = /^\(node:\d+\) \[PERDURA_[A-Z_]+\] PerduraWarning/;

/** The warning of a program that could not remove its temporary file. */
const NOT_REMOVED_WARNING = /^\(node:\d+\) \[PERDURA_NOT_REMOVED\]/;

/** Faults after the process was killed. */
export async function faultsAfterKill(
  rehearsed: Rehearsed,
  directory: string,
  { code, stdout, stderr }: Ended,
): Promise<string[]> {
  if (code !== null) return [`expected a kill, but ended with ${code}: ${stdout}${stderr}`];
  const acknowledged = acknowledgedIn(stdout);
  const steps = await stepsLeft(rehearsed, directory);
  if (typeof steps === "string") return [steps];
  // The step in progress may be complete.
  const fine = steps >= acknowledged && steps <= Math.max(acknowledged + 1, rehearsed.operation.steps === 0 ? 0 : 1);
  return [
    ...(fine ? [] : [`${steps} steps are stored after ${acknowledged} were acknowledged`]),
    ...(await faultsOfNextRun(rehearsed, directory, steps)),
  ];
}

/** Faults after a call failed: in the data, in the error, and in the files that were left. */
export async function faultsAfterError(
  rehearsed: Rehearsed,
  directory: string,
  { code, stdout, stderr }: Ended,
  point: Pick<Place, "name">,
): Promise<string[]> {
  const words = lastWords(stdout);
  if (words === undefined) return [`ended with ${code} without its final output: ${stdout}${stderr}`];
  const steps = await stepsLeft(rehearsed, directory);
  if (typeof steps === "string") return [steps];
  return [
    ...judgeWords(rehearsed, directory, words),
    ...judgeSteps(rehearsed, words, acknowledgedIn(stdout), steps),
    ...words.open.map((path) => `${path} is still open at the end`),
    // If the removal of a file fails, the file stays; a warning names it if nothing else is wrong.
    ...(/unlink|rmdir/.test(point.name) || NOT_REMOVED_WARNING.test(stderr) ? [] : leftBehind(rehearsed, directory)),
    ...(stderr === "" || WARNING.test(stderr) ? [] : [`printed to stderr: ${stderr}`]),
    ...(await faultsOfNextRun(rehearsed, directory, steps)),
  ];
}

function judgeWords({ template }: Rehearsed, directory: string, { error }: Words): string[] {
  if (error === undefined) return [];
  if (!error.ours) return [`not an error of perdura: ${error.stack}`];
  // A store gives its place as an address.
  const named = [directory, encodeURI(directory)].some((place) => error.path?.includes(place) === true);
  return named || template === directory ? [] : [`the error names no file: ${error.message}`];
}

function judgeSteps({ operation }: Rehearsed, { error }: Words, acknowledged: number, steps: number): string[] {
  if (error === undefined)
    return steps === operation.steps && acknowledged === steps ? [] : [`succeeded, but ${steps} steps are stored`];
  // An error that says that no data was changed must be right; after one that says that the write may have succeeded,
  // both are allowed.
  const most = error.mayBeWritten ? acknowledged + 1 : acknowledged;
  return steps >= acknowledged && steps <= most
    ? []
    : [`${steps} steps are stored after ${acknowledged} were acknowledged and after the error: ${error.message}`];
}

function leftBehind({ namesBefore, namesAfter }: Rehearsed, directory: string): string[] {
  const known = new Set([...namesBefore, ...namesAfter].map(withoutTime));
  return namesIn(directory)
    .filter((name) => !known.has(withoutTime(name)) && !OF_A_DATABASE.test(name))
    .map((name) => `${name} was left behind`);
}

/** Removes the time of creation from the name of a version in a store. */
function withoutTime(name: string): string {
  return name.replace(/\d{8}T\d{6}\.\d{6}Z/, "(a time)");
}

/** Inspects a copy, so that the next run finds the data unchanged. */
async function stepsLeft({ operation }: Rehearsed, directory: string): Promise<number | string> {
  try {
    return await operation.stepsIn(copyWithoutTimes(directory, `${directory}.look`));
  } catch (error) {
    return `matches neither the state before nor the state after: ${(error as Error).message}`;
  }
}

/** Runs the operation again, in this process, which is not that of the disturbed run, as in an application. */
async function faultsOfNextRun(rehearsed: Rehearsed, directory: string, steps: number): Promise<string[]> {
  const { operation, namesAfter } = rehearsed;
  try {
    await operation.perform(directory, () => {});
  } catch (error) {
    return [`the next run failed: ${(error as Error).stack}`];
  }
  const now = await stepsLeft(rehearsed, directory);
  if (typeof now === "string") return [`after the next run: ${now}`];
  const expected = operation.adds === true ? steps + operation.steps : operation.steps;
  const names = namesIn(directory).join("\n");
  return [
    ...(now === expected ? [] : [`after the next run ${now} steps are stored, expected ${expected}`]),
    ...(operation.adds === true || names === namesAfter.join("\n")
      ? []
      : [`after the next run the files are ${names}`]),
    ...leftBehind(rehearsed, directory).map((text) => `after the next run: ${text}`),
    ...namesIn(directory)
      .filter((name) => OF_A_DATABASE.test(name) && !namesAfter.includes(name))
      .map((name) => `after the next run ${name} still exists`),
  ];
}

function acknowledgedIn(stdout: string): number {
  return stdout.split("\n").filter((line) => line === "acknowledged").length;
}

function lastWords(stdout: string): Words | undefined {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  return line.startsWith("{") ? (JSON.parse(line) as Words) : undefined;
}
