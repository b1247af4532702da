import { join } from "node:path";
import { createInterface } from "node:readline";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import { measureProcess } from "../measure.ts";

/**
 * `open_and_close.ts LINE DIRECTORY TIMES`: opens and closes everything that can be opened, this many times for each
 * line that it reads; then prints its measurements.
 */
const [line = "", directory = "", times = ""] = process.argv.slice(2);
const path = join(directory, "metrics.db");

async function openAndClose(turn: number): Promise<void> {
  const collector = line === "15" ? new v15.MetricsCollector(path) : new v16.MetricsCollector(path);
  try {
    const writer = collector.writer();
    try {
      if (turn % 10 === 0) await writer.recordInteraction("ada", 3, true, 5);
      collector.getUserStats("ada");
      if (turn % 50 !== 0) return;
      // JSON libraries and the objects of the directory are created again each time.
      const library = new v16.PatternLibrary();
      library.contribute("agent", { id: "p", pattern_type: "sequential", name: "Pattern" });
      const files = [join(directory, "patterns.json"), join(directory, "patterns.db")] as const;
      v16.PatternPersistence.saveToJson(library, files[0]);
      v16.PatternPersistence.saveToSqlite(library, files[1]);
      v16.PatternPersistence.loadFromSqlite(files[1]);
      collector.exportMetrics(join(directory, "all.jsonl"));
      if (line === "15")
        new v15.StateManager(join(directory, "state")).saveState("ada", { user_id: "ada", trust_level: 0.5 });
      refuse(directory);
    } finally {
      await writer.close();
    }
  } finally {
    collector.close();
  }
}

/** Failed calls must close the files that they opened, too. */
function refuse(place: string): void {
  for (const open of [
    () => new v16.MetricsCollector(join(place, "patterns.json")),
    () => v16.PatternPersistence.loadFromSqlite(join(place, "patterns.json")),
    () => v16.PatternPersistence.loadFromJson(path),
  ])
    try {
      open();
      throw new Error("an invalid file was opened without an error");
    } catch (error) {
      if (!v16.isPerduraError(error)) throw error;
    }
}

for await (const word of createInterface({ input: process.stdin })) {
  if (word !== "live") throw new Error(`expected the word "live", got ${word}`);
  for (let turn = 0; turn < Number(times); turn += 1) await openAndClose(turn);
  process.stdout.write(`hour ${JSON.stringify(await measureProcess(directory, path, 0))}\n`);
}
