import { join } from "node:path";
import { removeDeadDisks } from "./disks/dead_disks.ts";
import { Disk, missingFor } from "./disks/disk.ts";
import { type Random, seededRandom } from "../../../fixtures/generate/seeded_random.ts";
import { missingForCut } from "./power_cut/cut.ts";
import { Figures } from "./power_cut/figures.ts";
import { callCrew, cutOnce, judgeAll, layOutAll, type Outcome } from "./power_cut/trial.ts";
import type { Crew } from "./power_cut/crew.ts";
import type { Writer } from "./power_cut/writer.ts";
import { WRITERS } from "./power_cut/writers.ts";
import { type Round, shareOf, type Soak } from "./soak.ts";

const CUTS = 200;

/** A cut may happen when no data is unsynced: up to this many more are made until a control shows a loss. */
const UNTIL_PROVEN = 40;

/** Maximum time of writing before the cut, in seconds; and, sometimes, a longer one for slow operations. */
const [LONGEST, LONGER] = [1.2, 4];

/** Space for all written data, including that of a few writers without others, which are faster. */
const MEGABYTES = { ext4: 320, xfs: 320 };

/** Cuts the power while everything is written. */
export const powerCut: Soak = {
  name: "power_cut",
  about: "cut the power of a file system during writes",
  missing: () => missingFor("ext4") ?? missingForCut(),
  run: async (round) => {
    removeDeadDisks();
    const writers = WRITERS.filter(({ row, control }) => control === true || round.wants(row));
    if (writers.every(({ control }) => control === true)) return;
    const template = join(round.place, "template");
    await layOutAll(writers, template);
    const kinds = (["ext4", "xfs"] as const).filter((kind) => missingFor(kind) === undefined);
    const figures = new Figures();
    const random = seededRandom(round.seed);
    for (const [index, kind] of kinds.entries()) {
      const cuts = shareFor(round, kinds.length, index);
      if (cuts === 0 || round.isOver()) continue;
      const disk = new Disk(round.place, { kind, megabytes: MEGABYTES[kind] });
      try {
        await cutOften(cuts, disk, { writers, template }, round, random, (outcomes) => {
          figures.add(kind, outcomes, round);
          return figures.isProven(kind);
        });
      } finally {
        await disk.remove();
      }
    }
    if (!round.isOver()) figures.conclude(round);
  },
};

/**
 * Prepares the processes of the next cut while the previous one is judged.
 *
 * @param tell Receives the outcomes of a cut; returns true once a control has proven that power is really cut.
 */
async function cutOften(
  cuts: number,
  disk: Disk,
  { writers, template }: { writers: readonly Writer[]; template: string },
  round: Round,
  random: Random,
  tell: (outcomes: Outcome[]) => boolean,
): Promise<void> {
  const { place } = round;
  const call = (number: number): { some: readonly Writer[]; crew: Crew } => {
    const some = number % 2 === 1 ? writers : oneOf(writers, random);
    return { some, crew: callCrew(some, random.below(2 ** 31), place) };
  };
  let { some, crew } = call(1);
  let isProven = false;
  try {
    for (let number = 1; number <= cuts + (isProven ? 0 : UNTIL_PROVEN) && !round.isOver(); number += 1) {
      const seconds = 0.02 + random.fraction() * (random.chance(0.25) ? LONGER : LONGEST);
      const cut = await cutOnce(disk, crew, { template, place, seconds });
      const judged = some;
      ({ some, crew } = call(number + 1));
      isProven = tell(await judgeAll(judged, cut));
    }
  } finally {
    await crew.die();
  }
}

/** Selects a single writer: it does not profit from the syncs of others, which sync the names of all files. */
function oneOf(writers: readonly Writer[], random: Random): Writer[] {
  const own = writers.filter(({ control }) => control !== true);
  return own.slice(random.below(own.length)).slice(0, 1);
}

/** Number of cuts for a kind of file system: equal parts; ext4, the first, gets the remainder. */
function shareFor(round: Round, kinds: number, index: number): number {
  return Math.ceil((shareOf(CUTS, round) - index) / kinds);
}
