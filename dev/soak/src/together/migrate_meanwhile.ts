import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Round, shareOf } from "../soak.ts";
import { MigrationCrowd } from "./migration_crowd.ts";

/** Number of recording programs of a full round, and repetitions of each migration. */
const [PROGRAMS, TIMES] = [32, 2];

const TOMBSTONE = /migrated to version 16/;
const NO_TABLE = /no such table/;

/** Migrates while programs record; returns the table that must hold all rows at the end. */
type Scenario = (crowd: MigrationCrowd, programs: number) => Promise<Parameters<MigrationCrowd["judge"]>[0]>;

const SCENARIOS: Record<string, Scenario> = {
  "up while programs up to 14.x record": async (crowd, programs) => {
    await crowd.begin("field", programs, 1);
    await crowd.look(crowd.run("up"));
    await crowd.allFail(TOMBSTONE);
    return "interactions 16";
  },
  "up, a second table, and up again": async (crowd, programs) => {
    await crowd.begin("field", programs, 1);
    await crowd.run("up", "--fence", "none");
    await crowd.allFail(NO_TABLE);
    await crowd.begin("field", programs, 2);
    await crowd.look(crowd.run("up"));
    await crowd.allFail(TOMBSTONE);
    return "interactions 16";
  },
  "up while programs of 15 record": async (crowd, programs) => {
    await crowd.begin("15", programs, 1);
    await crowd.look(crowd.run("up"));
    await crowd.allFail(/empathy_level|"level" of 16/);
    return "interactions 16";
  },
  "down while programs of 16 record, and up": async (crowd, programs) => {
    await crowd.begin("field", 2, 1);
    await crowd.run("up");
    await crowd.allFail(TOMBSTONE);
    await crowd.begin("16", programs / 2, 2);
    await crowd.look(crowd.run("down"));
    await crowd.allFail(/interactions|metrics/);
    const { lost, wrong } = crowd.judge("metrics");
    crowd.wrong.push(...[...lost, ...wrong].map((text) => `after down: ${text}`));
    await crowd.run("up");
    return "interactions 16";
  },
};

/** Migrations while 32 programs record into the same database: no row may be lost or duplicated. */
export async function migrateMeanwhile(round: Round, migrate: () => string): Promise<void> {
  for (const [row, scenario] of Object.entries(SCENARIOS)) {
    if (round.isOver() || !round.wants(row)) continue;
    let [rows, commands] = [0, 0];
    for (let time = 0; time < shareOf(TIMES, round) && !round.isOver(); time += 1) {
      const place = join(round.place, `migration-${time}`);
      mkdirSync(place);
      const crowd = new MigrationCrowd(join(place, "metrics.db"), migrate());
      const table = await scenario(crowd, round.share < 0.1 ? 4 : PROGRAMS);
      // Nothing is left to do, and the data must equal the backups.
      await crowd.runAlone("up");
      await crowd.runAlone("verify");
      const { lost, wrong, rows: found } = crowd.judge(table);
      round.count({ row, trials: found, lost, wrong: [...crowd.wrong, ...wrong] });
      rows += found;
      commands += crowd.commands;
      round.remark(row, `${rows} rows of ${crowd.acknowledged.size} processes, ${commands} commands meanwhile`);
      rmSync(place, { recursive: true });
    }
  }
}
