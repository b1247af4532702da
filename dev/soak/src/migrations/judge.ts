import { readFileSync } from "node:fs";
import { join } from "node:path";
import { main } from "../../../../packages/migrator/src/cli/main.ts";
import { type Ended, runMain } from "../../../../test/run_main.ts";
import { type DataState, departure, isReport, isUnfinished, lookAt, namesIn } from "./data_state.ts";
import type { Rehearsed } from "./rehearsal.ts";
import { environment } from "./spoiled_run.ts";

/**
 * Judges what a disturbed run left: everything is wholly before or wholly after.
 *
 * @param now What is there.
 * @returns What is wrong, in words.
 */
export function judgeData({ before, after }: Rehearsed, directory: string, now: DataState): string[] {
  // A report is whole, or is not there.
  for (const name of namesIn(join(directory, "data")).filter((each) => isReport(each) && !isUnfinished(each)))
    JSON.parse(readFileSync(join(directory, "data", name), "utf8"));
  const wrong = [...now].flatMap(([name, text]) =>
    text === before.get(name) || text === after.get(name)
      ? []
      : [
          `${name} is neither as before nor as after: ${departure(text, before.get(name))}; ${departure(text, after.get(name))}`,
        ],
  );
  const gone = [...before.keys()].filter((name) => after.has(name) && !now.has(name)).map((name) => `${name} is gone`);
  return [...wrong, ...gone];
}

/** What a run that ended by itself did not take away again. A log that a failed checkpoint leaves belongs to its database. */
export function leftBehind({ namesBefore }: Rehearsed, directory: string): string[] {
  const unfinished = namesIn(join(directory, "data")).filter(
    (name) => isUnfinished(name) && !/-(?:wal|shm)$/.test(name),
  );
  return [...unfinished.filter((name) => !namesBefore.includes(name)), ...namesIn(join(directory, "tmp"))].map(
    (name) => `${name} was left behind`,
  );
}

/** Ends with the last command that was given to {@link inTurn}. */
let lastCommand: Promise<unknown> = Promise.resolve();

/** Runs perdura-migrate in this process, one command after the other: starting a process takes longer than they do. */
function inTurn(words: readonly string[], directory: string): Promise<Ended> {
  const { TMPDIR } = environment(directory);
  const next = lastCommand.then(() => runMain(main, words, { env: { TMPDIR } }));
  lastCommand = next.catch(() => undefined);
  return next;
}

/** Runs the command again: it finishes, and leaves nothing of either run. */
export async function finish(rehearsed: Rehearsed, directory: string): Promise<string[]> {
  const { scenario, after, namesAfter } = rehearsed;
  const data = join(directory, "data");
  const again = (words: readonly string[]): Promise<Ended> => inTurn([...words, data], directory);
  // A log with all of the change in it is part of its database. Where nothing is left to do, no byte is changed.
  const logs = namesIn(data).filter((name) => /-(?:wal|shm)$/.test(name) && !name.includes("perdura-tmp"));
  const second = await again(scenario.words);
  if (second.code !== 0) return [`the second run ended with ${second.code}: ${second.stdout}${second.stderr}`];
  const expected = new Set(/"summary": "Nothing/.test(second.stdout) ? [...namesAfter, ...logs] : namesAfter);
  const names = namesIn(data).filter((name) => !isReport(name));
  const verified = await again(["verify", "--json"]);
  const now = lookAt(data, scenario.states);
  return [
    ...(names.join("\n") === [...expected].toSorted().join("\n")
      ? []
      : [`after the second run there are ${names.join(", ")}, expected ${[...expected].join(", ")}`]),
    ...[...after].flatMap(([name, text]) =>
      now.get(name) === text
        ? []
        : [`after the second run ${name} is not as after one run: ${departure(now.get(name), text)}`],
    ),
    ...(verified.code === 0 ? [] : [`verify ended with ${verified.code}: ${verified.stdout}${verified.stderr}`]),
  ];
}
