import { copyWithoutTimes } from "../system_calls/copy_of.ts";
import type { Ended } from "../system_calls/run_command.ts";
import type { Words } from "./perform.ts";
import { namesIn, type Place, type Rehearsed } from "./rehearsal.ts";

/** Files that belong to a database for as long as its log was not written back. */
const OF_A_DATABASE = /-(?:wal|shm|journal)$/;

/** What a program may say beside its result: that it took another way, or left a file. */
const WARNING = /^\(node:\d+\) \[PERDURA_[A-Z_]+\] PerduraWarning/;

/** The warning of a program that could not remove its temporary file. */
const TOLD = /^\(node:\d+\) \[PERDURA_NOT_REMOVED\]/;

/** What is wrong after the process was killed. */
export async function faultsAfterKill(
  rehearsed: Rehearsed,
  directory: string,
  { code, stdout, stderr }: Ended,
): Promise<string[]> {
  if (code !== null) return [`not killed, but ended with ${code}: ${stdout}${stderr}`];
  const acknowledged = acknowledgedIn(stdout);
  const steps = await stepsLeft(rehearsed, directory);
  if (typeof steps === "string") return [steps];
  // What was being done may be done.
  const fine = steps >= acknowledged && steps <= Math.max(acknowledged + 1, rehearsed.operation.steps === 0 ? 0 : 1);
  return [
    ...(fine ? [] : [`${steps} steps are there after ${acknowledged} were acknowledged`]),
    ...(await faultsOfNextRun(rehearsed, directory, steps)),
  ];
}

/** What is wrong after a call failed: with what is there, with what was said of it, and with what was left. */
export async function faultsAfterError(
  rehearsed: Rehearsed,
  directory: string,
  { code, stdout, stderr }: Ended,
  point: Pick<Place, "name">,
): Promise<string[]> {
  const words = lastWords(stdout);
  if (words === undefined) return [`ended with ${code}, and without its last words: ${stdout}${stderr}`];
  const steps = await stepsLeft(rehearsed, directory);
  if (typeof steps === "string") return [steps];
  return [
    ...judgeWords(rehearsed, directory, words),
    ...judgeSteps(rehearsed, words, acknowledgedIn(stdout), steps),
    ...words.open.map((path) => `${path} is still open at the end`),
    // Who is not allowed to remove a file leaves it, and says so where nothing else is wrong.
    ...(/unlink|rmdir/.test(point.name) || TOLD.test(stderr) ? [] : leftBehind(rehearsed, directory)),
    ...(stderr === "" || WARNING.test(stderr) ? [] : [`said on stderr: ${stderr}`]),
    ...(await faultsOfNextRun(rehearsed, directory, steps)),
  ];
}

function judgeWords({ template }: Rehearsed, directory: string, { error }: Words): string[] {
  if (error === undefined) return [];
  if (!error.ours) return [`no error of perdura's: ${error.stack}`];
  // A store tells its place as an address.
  const named = [directory, encodeURI(directory)].some((place) => error.path?.includes(place) === true);
  return named || template === directory ? [] : [`names no file: ${error.message}`];
}

function judgeSteps({ operation }: Rehearsed, { error }: Words, acknowledged: number, steps: number): string[] {
  if (error === undefined)
    return steps === operation.steps && acknowledged === steps ? [] : [`succeeded, but ${steps} steps are there`];
  // An error that says that the data is as it was must be right; one that says that it may be there may be so.
  const most = error.mayBeWritten ? acknowledged + 1 : acknowledged;
  return steps >= acknowledged && steps <= most
    ? []
    : [`${steps} steps are there after ${acknowledged} were acknowledged, and the error is: ${error.message}`];
}

function leftBehind({ namesBefore, namesAfter }: Rehearsed, directory: string): string[] {
  const known = new Set([...namesBefore, ...namesAfter].map(withoutTime));
  return namesIn(directory)
    .filter((name) => !known.has(withoutTime(name)) && !OF_A_DATABASE.test(name))
    .map((name) => `${name} was left behind`);
}

/** Versions in a store have the time of their making in their name. */
function withoutTime(name: string): string {
  return name.replace(/\d{8}T\d{6}\.\d{6}Z/, "(a time)");
}

/** Looks at a copy, so that the next run finds everything as it was left. */
async function stepsLeft({ operation }: Rehearsed, directory: string): Promise<number | string> {
  try {
    return await operation.stepsIn(copyWithoutTimes(directory, `${directory}.look`));
  } catch (error) {
    return `neither before nor after: ${(error as Error).message}`;
  }
}

/** The next run is in this process, which is another one than that of the disturbed run, as in an application. */
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
    ...(now === expected ? [] : [`after the next run ${now} steps are there, expected ${expected}`]),
    ...(operation.adds === true || names === namesAfter.join("\n") ? [] : [`after the next run there are ${names}`]),
    ...leftBehind(rehearsed, directory).map((text) => `after the next run: ${text}`),
    ...namesIn(directory)
      .filter((name) => OF_A_DATABASE.test(name) && !namesAfter.includes(name))
      .map((name) => `after the next run ${name} is still there`),
  ];
}

function acknowledgedIn(stdout: string): number {
  return stdout.split("\n").filter((line) => line === "acknowledged").length;
}

function lastWords(stdout: string): Words | undefined {
  const line = stdout.trimEnd().split("\n").at(-1) ?? "";
  return line.startsWith("{") ? (JSON.parse(line) as Words) : undefined;
}
