import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Round, Soak } from "./soak.ts";
import { judgeCrowd } from "./together/judge_crowd.ts";
import { METRICS_LINES, type MetricsLine } from "./together/lines.ts";
import { migrateMeanwhile } from "./together/migrate_meanwhile.ts";
import { backUpAtOnce } from "./together/back_up_at_once.ts";
import { migrateAtOnce } from "./together/migrate_at_once.ts";
import { withPrograms } from "./together/built_programs.ts";
import { runCrowd } from "./together/recording_crowd.ts";
import { shareFiles } from "./together/share_files.ts";

/** Number of simultaneous processes, and seconds, of a full round. */
const [CROWD, SECONDS, SECONDS_WITH_KILLS] = [32, 60, 20];

/** Many processes at once on the same files. */
export const together: Soak = {
  name: "together",
  about: "run 32 processes on the same databases, files and migrations",
  missing: () => undefined,
  run: async (round) => {
    for (const line of METRICS_LINES) {
      await crowd(round, line, false);
      await crowd(round, line, true);
    }
    await shareFiles(round);
    await withPrograms(async ({ migrate, backup }) => {
      await migrateMeanwhile(round, migrate);
      await migrateAtOnce(round, migrate);
      await backUpAtOnce(round, backup);
    });
  },
};

/** A small share has fewer processes: 32 take longer to start than it lasts. */
function crowdOf({ share }: Round): number {
  return share < 0.1 ? 8 : CROWD;
}

async function crowd(round: Round, line: MetricsLine, kills: boolean): Promise<void> {
  const row = kills ? `recorders killed meanwhile (${line.number})` : `record, read and export (${line.number})`;
  if (round.isOver() || !round.wants(row)) return;
  const place = join(round.place, `crowd-${line.number}-${kills}`);
  mkdirSync(place);
  const seconds = Math.max(1, (kills ? SECONDS_WITH_KILLS : SECONDS) * round.share);
  const { seed, isOver } = round;
  const story = await runCrowd({ line, place, seed, processes: crowdOf(round), seconds, kills, isOver });
  const { rows, lost, wrong } = judgeCrowd(line, story);
  round.count({ row, trials: rows, lost, wrong: [...story.wrong.slice(0, 10), ...wrong] });
  const rate = Math.round(rows / story.seconds);
  const log = (story.largestLog / 1e6).toFixed(1);
  const killed = kills ? `, ${story.killed.size} killed` : "";
  round.remark(
    row,
    `${story.started} processes${killed}, ${rate} rows/s, ${story.checked} answers compared, largest log ${log} MB`,
  );
}
