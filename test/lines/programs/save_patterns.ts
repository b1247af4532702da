// A separate process that merges its patterns into a shared database, with one save for each. Arguments: path, agent,
// patterns.
import { PatternLibrary, PatternPersistence } from "@perdura/v16";

const [path, agent, patterns] = process.argv.slice(2) as [string, string, string];
const library = new PatternLibrary();
for (let index = 0; index < Number(patterns); index += 1) {
  library.contribute(agent, { id: `${agent}-${index}`, pattern_type: "t", name: "n" });
  library.recordUsage(`${agent}-${index}`, agent, true);
  PatternPersistence.saveToSqlite(library, path);
}
