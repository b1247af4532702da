import { join } from "node:path";
import { READERS } from "./documents/readers.ts";
import type { Reader } from "./documents/reader.ts";
import { contained, type Job } from "./documents/workers.ts";
import { type Round, shareOf, type Soak } from "./soak.ts";
import { sideBySide } from "./system_calls/side_by_side.ts";

/** Number of documents for one process; starting one takes as long as a thousand documents. */
const PIECE = 1500;

/** Hostile documents for every reader of text. */
export const documents: Soak = {
  name: "documents",
  about: "read hostile documents with every reader of text",
  missing: () => undefined,
  run: async (round) => {
    const jobs = READERS.filter(({ row }) => round.wants(row)).flatMap((reader) => jobsOf(reader, round));
    await sideBySide(jobs, (job) => tryDocuments(job, round));
  },
};

/** Splits the documents of a reader into jobs; with `--point N` only the one of that number. */
function jobsOf({ row, whole, piece: size = PIECE }: Reader, round: Round): Job[] {
  const { seed, place, point } = round;
  const slug = row.replaceAll(/[^a-z0-9]+/gi, "-");
  const job = (from: number, to: number): Job => ({ row, seed, from, to, place: join(place, `${slug}-${from}`) });
  if (point !== undefined) return /^\d+$/.test(point) ? [job(Number(point), Number(point) + 1)] : [];
  const count = shareOf(whole, round);
  return Array.from({ length: Math.ceil(count / size) }, (_, piece) =>
    job(piece * size, Math.min(count, (piece + 1) * size)),
  );
}

/** Peak memory of the processes of a row. */
const most = new Map<string, number>();

async function tryDocuments(job: Job, round: Round): Promise<void> {
  if (round.isOver()) return;
  const { row, seed } = job;
  const { wrong, tried, rss } = await contained(job);
  const bad = new Set(wrong.map(({ index }) => index));
  if (tried > bad.size) round.count({ row, trials: tried - bad.size });
  for (const index of bad)
    round.count({
      row,
      wrong: wrong.filter((one) => one.index === index).map(({ text }) => `document ${index}: ${text}`),
      repeat: `pnpm soak documents --only ${JSON.stringify(row)} --seed ${seed} --point ${index}`,
    });
  most.set(row, Math.max(rss, most.get(row) ?? 0));
  round.remark(row, `at most ${Math.round((most.get(row) as number) / 2 ** 20)} MiB`);
}
