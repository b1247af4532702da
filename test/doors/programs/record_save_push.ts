// Records, saves and pushes again and again. Arguments: a database, the address of a store, a name, a number of rounds. Prints
// a line for each thing that was acknowledged: `row`, `pattern ID`, or `backup VERSION PATTERNS`.
import { openBackupStore } from "@perdura/backup";
import { MetricsCollector, PatternLibrary, PatternPersistence } from "@perdura/v16";
import { writeSync } from "node:fs";

const [path, address, name, rounds] = process.argv.slice(2) as [string, string, string, string];
const acknowledge = (text: string): void => void writeSync(1, `${text}\n`);
const store = await openBackupStore(address);
const collector = new MetricsCollector(path);
for (let round = 0; round < Number(rounds); round += 1) {
  collector.recordInteraction(name, 4, true, 1);
  acknowledge("row");
  const library = new PatternLibrary();
  library.contribute(name, { id: `${name}-${round}`, pattern_type: "t", name: "n" });
  PatternPersistence.saveToSqlite(library, path);
  acknowledge(`pattern ${name}-${round}`);
  const { version } = await store.backup(path, { name: "all" });
  acknowledge(`backup ${version} ${name}-${round}`);
}
collector.close();
