import { mkdirSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type Round, shareOf } from "../soak.ts";
import { PLACE_COUNT } from "./damage_place.ts";
import { hostileFiles } from "./hostile_files.ts";
import { type Family, makeModels } from "./models.ts";
import { MEMORY, Worker } from "./pool.ts";
import type { Task } from "./worker.ts";

/**
 * Number of files of each kind that are damaged in each way in a full round. Each replacement and each hostile file is
 * tried once.
 */
const COUNTS: Record<Family, Record<"bytes" | "schema", number>> = {
  patterns: { bytes: 450, schema: 200 },
  "metrics of 15": { bytes: 150, schema: 100 },
  "metrics of 16": { bytes: 300, schema: 150 },
  legacy: { bytes: 300, schema: 200 },
  archives: { bytes: 300, schema: 150 },
};

const FAMILIES = Object.keys(COUNTS) as Family[];
const countsOf = (family: Family): Record<Task["damage"], number> => ({
  ...COUNTS[family],
  places: PLACE_COUNT,
  hostile: Object.keys(hostileFiles(family)).length,
});

/** Number of tasks that take as long as the start of a worker. */
const WORTH_A_WORKER = 15;

/** Gives damaged databases to every reader of databases. */
export async function readDamagedFiles(round: Round): Promise<void> {
  const tasks = tasksOf(round);
  if (tasks.length === 0) return;
  const models = await makeModels(join(round.place, "models"), new Set(tasks.map(({ family }) => family)));
  const queue = tasks.values();
  const answered = new Map<string, { answered: number; refused: number; peak: number }>();
  const work = async (number: number): Promise<void> => {
    const place = join(round.place, `worker ${number}`);
    mkdirSync(place);
    const worker = new Worker(place);
    try {
      for (const { row, ...task } of queue) {
        if (round.isOver()) break;
        const own = join(place, "task");
        const answer = await worker.run({ ...task, models: models[task.family], place: own });
        rmSync(own, { recursive: true, force: true });
        const wrong = answer.peak > MEMORY ? [`it used ${Math.round(answer.peak / 2 ** 20)} MiB`] : [];
        const repeat = `pnpm soak databases --only "${row}" --seed ${round.seed} --point ${task.number}`;
        round.count({ row, wrong: [...answer.wrong, ...wrong], repeat });
        const sum = answered.get(row) ?? { answered: 0, refused: 0, peak: 0 };
        sum[answer.answered ? "answered" : "refused"] += 1;
        sum.peak = Math.max(sum.peak, answer.peak);
        answered.set(row, sum);
        round.remark(row, `${sum.answered} read, ${sum.refused} refused, up to ${Math.round(sum.peak / 2 ** 20)} MiB`);
      }
    } finally {
      worker.end();
    }
  };
  const workers = Math.min(availableParallelism(), Math.ceil(tasks.length / WORTH_A_WORKER));
  await Promise.all(Array.from({ length: workers }, (_, number) => work(number)));
}

type Planned = Omit<Task, "models" | "place"> & { row: string };

function tasksOf(round: Round): Planned[] {
  const { seed, point } = round;
  return FAMILIES.flatMap((family) =>
    Object.entries(countsOf(family)).flatMap(([damage, whole]) => {
      const row = `${family}: ${damage}`;
      if (!round.wants(row)) return [];
      // A partial round takes other files with each seed.
      const count = shareOf(whole, round);
      const first = damage === "bytes" || damage === "schema" ? 0 : seed * count;
      const numbers =
        point === undefined ? Array.from({ length: count }, (_, index) => first + index) : [Number(point)];
      return numbers.map((number) => ({ row, seed, number, family, damage: damage as Task["damage"] }));
    }),
  );
}
