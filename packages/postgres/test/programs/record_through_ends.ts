/**
 * Records rows 1 to 400 of a user, during restarts of the server, and prints the acknowledged ones.
 *
 * Arguments: the address, the user, and `retry` for calls that are retried until they succeed, with an idempotency key.
 */
import { PostgresMetricsCollector } from "../../src/index.ts";

const [address, user = "", way] = process.argv.slice(2);
const metrics = new PostgresMetricsCollector(address);

async function record(row: number): Promise<void> {
  const options = way === "retry" ? { idempotencyKey: `${user} ${row}` } : {};
  // Singly and in batches.
  if (row % 2 === 0) await metrics.recordInteraction(user, 1, true, row, options);
  else await metrics.recordMany([{ user_id: user, success: true, response_time_ms: row }], options);
  process.stdout.write(`${row}\n`);
}

for (let row = 1; row <= 400; row += 1)
  for (let isDone = false; !isDone;) {
    try {
      await record(row);
      isDone = true;
    } catch {
      // The server is down: let other programs run.
      await new Promise((resolve) => setTimeout(resolve, 5));
      isDone = way !== "retry";
    }
  }
await metrics.close();
