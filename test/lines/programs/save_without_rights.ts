// A separate process that tries to save with limited permissions; as root it first becomes an unprivileged user (65534).
// Arguments: kind ("json", "state", "sqlite"), path. Prints "saved", or the error's name and message.
import { StateManager } from "@perdura/v15";
import { MetricsCollector, PatternLibrary, PatternPersistence } from "@perdura/v16";

const [what, path] = process.argv.slice(2) as [string, string];
const library = new PatternLibrary();
library.contribute("a", { id: "p", pattern_type: "t", name: "n" });
// Loads the driver while its files can still be read.
new MetricsCollector(":memory:").close();
if (process.getuid?.() === 0) process.setuid?.(65_534);
try {
  if (what === "json") PatternPersistence.saveToJson(library, path);
  else if (what === "sqlite") PatternPersistence.saveToSqlite(library, path);
  else new StateManager(path).saveState("u", { user_id: "u", trust_level: 1 });
  console.log("saved");
} catch (error) {
  console.log(`${(error as Error).name}: ${(error as Error).message}`);
}
