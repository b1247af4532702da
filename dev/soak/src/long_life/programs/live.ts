// First, before any module reads the time.
import "../accelerated_clock.ts";
import { createInterface } from "node:readline";
import { Agent } from "../agent.ts";
import { measureProcess } from "../measure.ts";

/**
 * `live.ts LINE DIRECTORY SECONDS ENDING`: an agent that lives for this many simulated seconds for each line that it
 * reads, and then prints its measurements. At the end of its input it closes everything; with the ending `exit` it does
 * not.
 */
const [line = "", directory = "", seconds = "", ending = "close"] = process.argv.slice(2);
const agent = new Agent(line, directory);
process.stdout.write(`total ${agent.total}\n`);
for await (const word of createInterface({ input: process.stdin })) {
  if (word !== "live") throw new Error(`expected the word "live", got ${word}`);
  await agent.live(Number(seconds));
  const measure = await measureProcess(directory, agent.database, agent.largestLog);
  agent.largestLog = 0;
  process.stdout.write(`hour ${JSON.stringify(measure)}\n`);
}
if (ending === "close") agent.close();
