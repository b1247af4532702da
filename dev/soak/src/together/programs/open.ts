import { isDeepStrictEqual } from "node:util";
import { lineOf } from "../lines.ts";
import { BATCH, rowOf, statsOf } from "../recorded.ts";
import { say } from "./say.ts";

/**
 * `open.ts LINE DATABASE USER`: a short-lived program: opens the database, records some rows of its user, reads
 * statistics, closes it and ends, or opens it again.
 */
const [number = "", path = "", user = ""] = process.argv.slice(2);
const line = lineOf(number);
try {
  for (let stored = 0; stored < BATCH;) {
    const collector = line.open(path);
    try {
      const before = collector.getGlobalStats().total_interactions;
      for (const end = stored + BATCH / 4; stored < end;) {
        stored += 1;
        const { level, success, time } = rowOf(stored);
        collector.recordInteraction(user, level, success, time);
        say("stored", stored);
      }
      const { first_use: _first, last_use: _last, ...stats } = collector.getUserStats(user);
      if (!isDeepStrictEqual(stats, statsOf(stored)))
        say("wrong", `${user} recorded ${stored} rows and sees ${JSON.stringify(stats)}`);
      const after = collector.getGlobalStats().total_interactions;
      if (after < before + BATCH / 4)
        say("wrong", `${before} rows before, ${user} added rows, but ${after} rows after`);
      say("checked", 2);
    } finally {
      collector.close();
    }
  }
} catch (error) {
  const { name, message, stack } = error as Error;
  say("failed", `${name}: ${message} ${stack?.split("\n")[1] ?? ""}`);
}
