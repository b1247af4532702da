import { appendFileSync, mkdirSync, openSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Chance } from "../../../../test/hostile/chance.ts";
import { PollutionWatch } from "./pollution.ts";
import { READERS } from "./readers.ts";
import { refuseNetwork } from "./refuse_network.ts";
import type { Found, Job } from "./workers.ts";

/** Gives documents to one reader, one after the other. Runs in its own process, which may hang or crash. */
async function work({ row, seed, from, to, place }: Job): Promise<void> {
  const reader = READERS.find((one) => one.row === row);
  if (reader === undefined) throw new Error(`Unknown reader ${row}.`);
  const directory = join(place, "documents");
  const canary = join(place, "canary");
  mkdirSync(directory, { recursive: true });
  mkdirSync(canary, { recursive: true });
  process.chdir(directory);
  refuseNetwork();
  const progress = openSync(join(place, "progress"), "w");
  const tell = (found: Found): void => appendFileSync(join(place, "found"), `${JSON.stringify(found)}\n`);
  const bench = { directory };
  const attempt = await reader.open(bench);
  const pollution = new PollutionWatch();
  for (let index = from; index < to; index += 1) {
    const faults = await Chance.try([seed, row, index], async (chance) => {
      // Also for each smaller document: the parent, which waits for progress, must not take shrinking for a hang.
      writeSync(progress, String(index).padEnd(12), 0);
      const found = await faultsOf(() => attempt.document(chance, { directory, index }));
      return [...found, ...pollution.faults(), ...escapes(place, canary)];
    });
    for (const text of faults) tell({ index, text });
  }
  for (const text of await faultsOf(() => attempt.close?.() ?? [])) tell({ index: to - 1, text });
  writeSync(progress, "done".padEnd(12), 0);
  tell({ rss: process.resourceUsage().maxRSS * 1024 });
}

/** Any error that escapes from a reader's check is a crash. */
async function faultsOf(task: () => Promise<string[]> | string[]): Promise<string[]> {
  try {
    return await task();
  } catch (error) {
    return [`a crash: ${String((error as Error).stack ?? error).slice(0, 900)}`];
  }
}

const EXPECTED = new Set(["documents", "canary", "progress", "found"]);

function escapes(place: string, canary: string): string[] {
  const unexpected = [...readdirSync(place).filter((name) => !EXPECTED.has(name)), ...readdirSync(canary)];
  return unexpected.map((name) => `wrote a file outside the directory: ${JSON.stringify(name)}`);
}

process.on("uncaughtException", (error) => {
  console.error(error.stack);
  process.exit(70);
});
await work(JSON.parse(process.argv[2] as string) as Job);
process.exit(0);
