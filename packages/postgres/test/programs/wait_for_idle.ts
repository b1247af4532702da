import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

const client = new pg.Client(process.argv[2]);
await client.connect();
for (;;) {
  const { rows } = await client.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
  );
  if (rows.length === 0) break;
  await pause(10);
}
await client.end();
