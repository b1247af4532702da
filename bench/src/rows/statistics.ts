import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import Database from "better-sqlite3";
import { ConnectionPerCall } from "../peers/connection_per_call.ts";
import type { Row } from "../row.ts";

const ROWS = 100_000;
const USERS = 200;

/** The same rows on both sides. */
function fill(path: string, table: "interactions" | "metrics", levelColumn: "level" | "empathy_level"): void {
  const database = new Database(path);
  const insert = database.prepare(
    `INSERT INTO ${table} (user_id, ${levelColumn}, success, response_time_ms) VALUES (?, ?, ?, ?)`,
  );
  database.transaction(() => {
    for (let row = 0; row < ROWS; row += 1)
      insert.run(`user-${row % USERS}`, 1 + (row % 5), row % 3 === 0 ? 0 : 1, row % 997);
  })();
  database.close();
}

function statistics(
  name: string,
  what: string,
  calls: number,
  ask: { ours: (collector: MetricsCollector) => unknown; peer: (original: ConnectionPerCall) => unknown },
): Row {
  return {
    name,
    what: `${what}, ${ROWS.toLocaleString("en")} rows`,
    peer: "plain aggregates on a connection per call, as the original product",
    rounds: 9,
    sides: (directory) => {
      const [oursPath, peerPath] = [join(directory, "perdura.db"), join(directory, "original.db")];
      const collector = new MetricsCollector(oursPath);
      const original = new ConnectionPerCall(peerPath);
      fill(oursPath, "interactions", "level");
      fill(peerPath, "metrics", "empathy_level");
      const repeat = (call: () => unknown) => (): number => {
        for (let index = 0; index < calls; index += 1) call();
        return calls;
      };
      return {
        ours: { name: "perdura", round: repeat(() => ask.ours(collector)), close: () => collector.close() },
        peer: { name: "original", round: repeat(() => ask.peer(original)) },
      };
    },
  };
}

export const STATISTICS: Row[] = [
  statistics("user-stats", "statistics of one user", 50, {
    ours: (collector) => collector.getUserStats("user-7"),
    peer: (original) => original.userStats("user-7"),
  }),
  statistics("global-stats", "statistics over all users", 3, {
    ours: (collector) => collector.getGlobalStats(),
    peer: (original) => original.globalStats(),
  }),
];
