import { once } from "node:events";
import { writeSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../../../../fixtures/generate/seeded_random.ts";
import { folderOf, WRITERS } from "./writers.ts";

/**
 * `write.ts SEED ROW …`: receives a directory, then these writers write there in random order until the power is cut.
 * Each completed write is reported on stdout, which is not on the disk: `done NANOSECONDS ROW`. The last line may be an
 * error.
 */
const [seed, ...rows] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const [line] = (await once(process.stdin, "data")) as [Buffer];
const directory = line.toString().trim();
const open = WRITERS.filter(({ row }) => rows.includes(row)).map((writer) => ({
  row: writer.row,
  turn: 0,
  write: writer.open(join(directory, folderOf(writer))),
}));

writeSync(1, "ready\n");
while (open.length > 0) {
  const index = random.below(open.length);
  const writer = open[index] as (typeof open)[number];
  writer.turn += 1;
  try {
    if ((await writer.write(writer.turn)) === false) open.splice(index, 1);
    else writeSync(1, `done ${process.hrtime.bigint()} ${writer.row}\n`);
  } catch (error) {
    const at = process.hrtime.bigint();
    // Either the power is cut or there is a fault; the parent decides by the time.
    writeSync(1, `failed ${at} ${JSON.stringify({ row: writer.row, text: String((error as Error).stack) })}\n`);
    break;
  }
}
// Waits for the cut.
setInterval(() => {}, 1000);
