import { writeSync } from "node:fs";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";

// A separate process that forgets a user, deletes what is before a moment, or the uses of patterns by an agent, and prints
// the number of deleted rows after each step. Arguments: line, path, `forget`, `before` or `usage`, user, moment or agent,
// `erase` or nothing.

const [line, path, what, given, erase] = process.argv.slice(2) as [string, string, string, string, string | undefined];
const { MetricsCollector, PatternPersistence } = line === "v15" ? v15 : v16;
const options = {
  erase: erase === "erase",
  onProgress: ({ done }: { done: number }) => writeSync(1, `${done}\n`),
};
if (what === "usage") PatternPersistence.deleteUsage(path, { agent_id: given, ...options });
else {
  const collector = new MetricsCollector(path, { durability: "normal" });
  if (what === "forget") collector.forgetUser(given, options);
  else collector.deleteBefore(given, options);
  collector.close();
}
