import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT } from "@perdura/cli/exit_codes.js";
import { main } from "../../../../packages/migrator/src/cli/main.ts";
import { type Ended, runMain } from "../../../../test/run_main.ts";
import { type DataState, firstDifference, isReport, isUnfinished, lookAt, namesIn } from "./data_state.ts";
import type { Rehearsed } from "./rehearsal.ts";
import { environment } from "./disturbed_run.ts";

/**
 * Judges the data after a disturbed run: everything must be wholly before or wholly after.
 *
 * @param now The data that was found.
 * @returns Faults, in words.
 */
export function judgeData({ before, after }: Rehearsed, directory: string, now: DataState): string[] {
  // A report must be complete, or absent.
  for (const name of namesIn(join(directory, "data")).filter((each) => isReport(each) && !isUnfinished(each)))
    JSON.parse(readFileSync(join(directory, "data", name), "utf8"));
  const wrong = [...now].flatMap(([name, text]) =>
    text === before.get(name) || text === after.get(name)
      ? []
      : [
          `${name} matches neither the state before nor the state after: ${firstDifference(text, before.get(name))}; ${firstDifference(text, after.get(name))}`,
        ],
  );
  const gone = [...before.keys()]
    .filter((name) => after.has(name) && !now.has(name))
    .map((name) => `${name} is missing`);
  return [...wrong, ...gone];
}

/**
 * Files that a run did not remove although it was not killed. The log of a failed checkpoint belongs to its database.
 */
export function leftBehind({ namesBefore }: Rehearsed, directory: string): string[] {
  const unfinished = namesIn(join(directory, "data")).filter(
    (name) => isUnfinished(name) && !/-(?:wal|shm)$/.test(name),
  );
  return [...unfinished.filter((name) => !namesBefore.includes(name)), ...namesIn(join(directory, "tmp"))].map(
    (name) => `${name} was left behind`,
  );
}

/** Settles with the last command given to {@link inTurn}. */
let lastCommand: Promise<unknown> = Promise.resolve();

/** Runs perdura-migrate in this process, one command at a time: starting a process takes longer than the command. */
function inTurn(words: readonly string[], directory: string): Promise<Ended> {
  const { TMPDIR } = environment(directory);
  const next = lastCommand.then(() => runMain(main, words, { env: { TMPDIR } }));
  lastCommand = next.catch(() => undefined);
  return next;
}

/** Runs the command again: it must finish, and leave no files of either run. */
export async function finish(rehearsed: Rehearsed, directory: string): Promise<string[]> {
  const { scenario, after, namesAfter } = rehearsed;
  const data = join(directory, "data");
  const repeated = (words: readonly string[]): Promise<Ended> => inTurn([...words, data], directory);
  // A log that contains the whole change is part of its database. If nothing is left to do, no byte may change.
  const logs = namesIn(data).filter((name) => /-(?:wal|shm)$/.test(name) && !name.includes("perdura-tmp"));
  const second = await repeated(scenario.words);
  if (second.code !== 0) return [`the second run ended with ${second.code}: ${second.stdout}${second.stderr}`];
  const expected = new Set(/"summary": "Nothing/.test(second.stdout) ? [...namesAfter, ...logs] : namesAfter);
  const names = namesIn(data).filter((name) => !isReport(name));
  const verified = await repeated(["verify", "--json"]);
  // Without a backup nothing can be compared, which counts as a failure.
  const hasBackup = !scenario.words.some((word) => word === "--no-backup" || word === "--rehearse");
  const now = lookAt(data, scenario.states);
  return [
    ...(names.join("\n") === [...expected].toSorted().join("\n")
      ? []
      : [`after the second run: found ${names.join(", ")}, expected ${[...expected].join(", ")}`]),
    ...[...after].flatMap(([name, text]) =>
      now.get(name) === text
        ? []
        : [`after the second run ${name} differs from the result of one run: ${firstDifference(now.get(name), text)}`],
    ),
    ...(verified.code === (hasBackup ? EXIT.done : EXIT.failed)
      ? []
      : [`verify ended with ${verified.code}: ${verified.stdout}${verified.stderr}`]),
  ];
}
