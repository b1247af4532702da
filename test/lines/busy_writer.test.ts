import { once } from "node:events";
import { createInterface } from "node:readline";
import { PatternLibrary, PatternPersistence } from "@perdura/v16";
import { describe, expect, onTestFinished, test } from "vitest";
import { COLLECTORS, temporaryDatabase } from "./collectors.ts";
import { start } from "./programs/run_program.ts";

/**
 * Lets another process hold a database most of the time; each call resolves, while that process holds it, with the
 * number of times it has taken it.
 */
function holder(path: string): () => Promise<number> {
  const child = start("hold_lock.ts", path);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  let turns = 0;
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (line) => (turns = Number(line)));
  return async () => {
    const said = async (): Promise<void> => void (await once(child.stdout as NodeJS.ReadableStream, "data"));
    // The first line may have been printed while this process was busy.
    await said();
    await said();
    return turns;
  };
}

/**
 * Number of turns of the other process that ten calls wait for, each of which begins during a turn. A call succeeds at
 * about one of six turns; with SQLite's own waiting, at one of a hundred.
 */
async function turnsOf(nextTurn: () => Promise<number>, call: () => unknown): Promise<number> {
  let waited = 0;
  for (let count = 0; count < 10; count += 1) {
    const before = await nextTurn();
    await call();
    waited += (await nextTurn()) - before;
  }
  return waited;
}
const ENOUGH = 300;

describe.for(COLLECTORS)(
  "while another program holds the write lock almost all the time, a collector of $name",
  ({ open, record }) => {
    test("gets the lock, with each way to record", async () => {
      const path = temporaryDatabase();
      using collector = open(path);
      const nextTurn = holder(path);
      const ways = {
        single: () => collector.recordInteraction("ada", 2, true, 1),
        metadata: () => record(collector, "ada", true, 1, { n: 1 }),
        writer: () => collector.writer().recordInteraction("ada", 2, true, 1),
      };
      for (const [way, write] of Object.entries(ways)) expect(await turnsOf(nextTurn, write), way).toBeLessThan(ENOUGH);
    });
  },
);

test("a library is saved while another program holds the write lock almost all the time", async () => {
  const path = temporaryDatabase();
  const library = new PatternLibrary();
  const save = (): unknown => PatternPersistence.saveToSqlite(library, path);
  save();
  expect(await turnsOf(holder(path), save)).toBeLessThan(ENOUGH);
});
