import { join } from "node:path";
import type { ProgressEvent } from "../../../../packages/migrator/src/index.ts";
import type { MigrationReport } from "../../../../packages/migrator/src/core/report.ts";
import { lookAt } from "../migrations/data_state.ts";
import { finish, judgeData, leftBehind } from "../migrations/judge.ts";
import { judgeReport } from "../migrations/judge_report.ts";
import type { Rehearsed } from "../migrations/rehearsal.ts";
import { environment } from "../migrations/disturbed_run.ts";
import { copyOf } from "../system_calls/copy_of.ts";
import { type Ended, run } from "../system_calls/run_command.ts";
import type { Attempted } from "./operations.ts";
import { STAGE_NOT_REACHED } from "./stage_not_reached.ts";
import { type Level, nameOf, ShortDisk, namesShortage } from "./shortage.ts";
import { migratorCommand, programWords } from "../../../../test/programs.ts";

/**
 * Moment at which the disk becomes full: before the command begins, or at a stage, after the check for space succeeded.
 */
export type Moment = "start" | ProgressEvent["stage"];

const PROGRAM = new URL("fill_at_stage.ts", import.meta.url);

/** Runs a scenario on a disk that has this much left from a moment on, and checks its output and its files. */
export async function attemptMigration(
  rehearsed: Rehearsed,
  moment: Moment,
  level: Level,
  place: string,
): Promise<Attempted> {
  const { template, scenario } = rehearsed;
  const disk = new ShortDisk(place, level);
  try {
    const directory = copyOf(template, join(disk.directory, "set"));
    const data = join(directory, "data");
    const command =
      moment === "start"
        ? migratorCommand(...scenario.words, data)
        : [process.execPath, ...programWords(PROGRAM), scenario.words.join(" "), moment, nameOf(level), data];
    if (moment === "start") disk.fill();
    // The compile cache is not on the disk that is full.
    const env = { ...environment(directory), NODE_COMPILE_CACHE: join(place, "compiled") };
    const ended = await run([...(moment === "start" ? disk.limiting : []), ...command], env);
    if (ended.code === STAGE_NOT_REACHED)
      return { enough: true, wrong: [`the stage ${moment} was not reached, so the disk was never full`] };
    disk.relieve();
    const now = lookAt(
      join(copyOf(directory, join(place, `look-${nameOf(level)}-${process.hrtime.bigint()}`)), "data"),
      scenario.states,
    );
    const faults = [
      ...judgeReport(rehearsed, now, { ...ended, ordinal: null }, [0, 1, 3]),
      ...judgeData(rehearsed, directory, now),
      ...leftBehind(rehearsed, directory).filter((fault) => !isNeeded(fault, ended, level)),
      ...judgeReasons(ended, level),
      ...(await finish(rehearsed, directory)),
    ];
    return { enough: ended.code === 0, wrong: faults.map((text) => `${moment} ${nameOf(level)}: ${text}`) };
  } finally {
    await disk.remove();
  }
}

/**
 * A database larger than the limit of file sizes cannot be rolled back: its journal waits for a program without the
 * limit, and the report states it.
 */
function isNeeded(fault: string, { stdout }: Ended, { shortage }: Level): boolean {
  return shortage === "file-size" && fault.includes("-journal was left") && stdout.includes('"status":"uncertain"');
}

/** Each item that was not done must name the shortage, unless an earlier item stopped the run. */
function judgeReasons({ code, stdout }: Ended, level: Level): string[] {
  if (code === 0 || !stdout.trimStart().startsWith("{")) return [];
  const report = JSON.parse(stdout) as MigrationReport;
  const reasons = [...report.databases, ...report.state_directories].filter(
    ({ status }) => status === "failed" || status === "refused",
  );
  return reasons
    .filter(({ reason }) => !namesShortage(level, reason ?? ""))
    .map(({ path, reason }) => `${path}: the reason does not name the shortage: ${reason}`);
}
