// A separate process that records rows into a shared database and prints a line at the end. Arguments: line, path,
// user, rows.
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";

const [line, path, user, rows] = process.argv.slice(2) as [string, string, string, string];
const { MetricsCollector } = line === "v15" ? v15 : v16;
const collector = new MetricsCollector(path, { durability: "normal" });
for (let row = 0; row < Number(rows); row += 1) collector.recordInteraction(user, 1 + (row % 5), row % 2 === 0, row);
collector.close();
