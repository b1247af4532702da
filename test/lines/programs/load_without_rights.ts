// A separate process that reads without write permission; as root it first becomes an unprivileged user (65534). Arguments:
// kind ("json", "sqlite", "metrics"), path. Prints the number of items found, or the error's name and message.
import { MetricsCollector, PatternPersistence } from "@perdura/v16";

const [what, path] = process.argv.slice(2) as [string, string];
// Loads the driver while its files can still be read.
new MetricsCollector(":memory:").close();
if (process.getuid?.() === 0) process.setuid?.(65_534);
try {
  if (what === "json") console.log(PatternPersistence.loadFromJson(path).size);
  else if (what === "sqlite") console.log(PatternPersistence.loadFromSqlite(path).size);
  else console.log(new MetricsCollector(path).getGlobalStats().total_interactions);
} catch (error) {
  console.log(`${(error as Error).name}: ${(error as Error).message}`);
}
