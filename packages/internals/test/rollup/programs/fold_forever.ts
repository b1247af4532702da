import { writeSync } from "node:fs";
import { openMetrics } from "@perdura/internals/metrics/open_metrics.js";
import { rollupStatistics } from "@perdura/internals/metrics/rollup/rollup_statistics.js";

// A separate process that folds in small pieces, makes users stale and folds again. It prints each round. Argument:
// path.

const database = openMetrics(process.argv[2] as string, "level", { durability: "normal" });
const rollup = rollupStatistics(database, "level", {
  threshold: 5,
  piece: 100,
  sliceMs: 0,
  budgetMs: 5,
  fewestUsers: 1,
});
for (let round = 0; ; round += 1) {
  rollup.global();
  database.exec(
    "INSERT INTO interactions (user_id, level, success) SELECT user_id, level, 1 FROM interactions LIMIT 300",
  );
  database.exec(`UPDATE interactions SET level = 3 WHERE id = ${round}`);
  // A reader may be slow: process.stdout would queue the line, and this loop never lets it send the queue.
  writeSync(1, `${round}\n`);
}
