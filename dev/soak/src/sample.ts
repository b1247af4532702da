import { rmSync } from "node:fs";
import { runSoaks } from "./run_soaks.ts";
import type { Soak } from "./soak.ts";
import { Tally } from "./tally.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

/** Selection of a sample, within the soak. */
export interface Sample {
  share: number;
  seed?: number;
  /** Part of the name of the rows. */
  only?: string;
  /** The selected points. */
  point?: string;
}

/**
 * Runs a part of a soak, for the tests.
 *
 * @returns Lost data and faults, of which there should be none, and the number of trials.
 */
export async function sample(soak: Soak, format: Sample): Promise<{ complaints: string[]; trials: number }> {
  const directory = temporaryFolder();
  const tally = new Tally();
  const { share, seed = 0, only, point } = format;
  const run = { soaks: [soak], seed, share, minutes: null, directory, only, point, tally };
  try {
    await runSoaks({ ...run, interrupted: () => false, tell: () => {} });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  const trials = tally.rows.reduce((sum, row) => sum + row.trials, 0);
  return {
    complaints: tally.complaints.map(({ row, kind, text, repeat }) => `${row}: ${kind}: ${text} (repeat: ${repeat})`),
    trials,
  };
}
