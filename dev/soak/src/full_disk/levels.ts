import { type Round, shareOf } from "../soak.ts";
import { startOf } from "../system_calls/points.ts";
import { type Level, mostOf, nameOf, type Shortage, SHORTAGES, stepOf } from "./shortage.ts";

/** Growth of the level until it is enough. */
const FACTOR = 4;

/** Tries an operation with this much left; true if it was enough. */
type Attempt = (level: Level) => Promise<boolean>;

/**
 * Tries an operation with nothing left, with increasing levels until it is enough, and in between.
 *
 * @param whole Number of levels in between that belong to a full round, for each shortage.
 */
export async function tryLevels(round: Round, whole: number, attempt: Attempt): Promise<void> {
  const point = levelOf(round.point);
  if (point !== undefined) return void (await attempt(point));
  const shortages = someOf(SHORTAGES, round);
  for (const shortage of shortages) {
    if (round.isOver()) return;
    const enough = await findEnough(shortage, round, attempt);
    const [step, count] = [stepOf(shortage), shareOf(whole, round)];
    const between = Array.from(
      { length: count },
      (_, index) => Math.floor(((index + startOf(round.seed)) * enough) / count / step) * step,
    );
    for (const left of new Set(between)) if (!round.isOver() && left > 0) await attempt({ shortage, left });
  }
}

async function findEnough(shortage: Shortage, round: Round, attempt: Attempt): Promise<number> {
  const step = stepOf(shortage);
  // A partial round uses larger steps: levels that are nearly enough find the most faults.
  const first = round.share < 1 ? step * 8 : step;
  for (let left = 0; left <= mostOf(shortage); left = left === 0 ? first : left * FACTOR)
    if (round.isOver() || (await attempt({ shortage, left }))) return left;
  return mostOf(shortage);
}

/** Selects shortages: a small part of a round does not try all. */
function someOf(shortages: readonly Shortage[], round: Round): Shortage[] {
  const count = shareOf(shortages.length, round);
  const first = Math.floor(startOf(round.seed) * shortages.length);
  return Array.from({ length: count }, (_, index) => shortages[(first + index) % shortages.length] as Shortage);
}

function levelOf(point: string | undefined): Level | undefined {
  if (point === undefined) return undefined;
  const [shortage, left] = point.split(":");
  const level = { shortage: shortage as Shortage, left: Number(left) };
  if (SHORTAGES.includes(level.shortage) && nameOf(level) === point) return level;
  throw new Error(
    `--point: expected one of ${SHORTAGES.join(", ")} with the amount left, such as ext4:24, got ${point}.`,
  );
}
