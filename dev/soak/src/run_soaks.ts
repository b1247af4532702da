import { rmSync } from "node:fs";
import type { Round, Soak } from "./soak.ts";
import type { Complaint, Tally } from "./tally.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

/** Settings of a run, with its callbacks. */
export interface Run {
  soaks: readonly Soak[];
  seed: number;
  share: number;
  /**
   * New rounds, each with the next seed, begin until this many minutes have passed; null means one round of each soak.
   */
  minutes: number | null;
  /** A directory on the file system under test. */
  directory: string;
  /** Part of the names of the selected rows. */
  only: string | undefined;
  point: string | undefined;
  tally: Tally;
  /** Returns true after the user has ended the run early. */
  interrupted: () => boolean;
  tell: (complaint: Complaint) => void;
  /** Called when a soak begins a round. */
  begins?: (soak: Soak, seed: number) => void;
}

/** Runs soaks one after the other; with `minutes`, in turn until the time is over. */
export async function runSoaks(run: Run): Promise<void> {
  const { soaks, minutes, interrupted } = run;
  const end = minutes === null ? Number.POSITIVE_INFINITY : performance.now() + minutes * 60_000;
  const isOver = (): boolean => interrupted() || performance.now() >= end;
  const going = new Set(soaks);
  for (let { seed } = run; !isOver() && going.size > 0; seed += 1) {
    for (const soak of going) if (!isOver() && !(await runRound(run, soak, seed, isOver))) going.delete(soak);
    if (minutes === null) return;
  }
}

/** @returns False if the soak itself failed: it would fail again. */
async function runRound(run: Run, soak: Soak, seed: number, isOver: () => boolean): Promise<boolean> {
  const { tally, only, share, point } = run;
  run.begins?.(soak, seed);
  const place = temporaryFolder(run.directory, `perdura-soak-${soak.name}-`);
  const repeat = (row: string): string => `pnpm soak ${soak.name} --only "${row}" --seed ${seed}`;
  const round: Round = {
    seed,
    share,
    place,
    point,
    isOver,
    wants: (row) => only === undefined || row.includes(only),
    count: (trial) => tally.count(soak.name, trial, repeat(trial.row)).forEach(run.tell),
    remark: (row, text) => tally.remark(soak.name, row, text),
  };
  try {
    await soak.run(round);
    return true;
  } catch (error) {
    // The results of the other soaks are still reported.
    round.count({ row: "the soak itself", trials: 0, wrong: [String((error as Error).stack ?? error)] });
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
