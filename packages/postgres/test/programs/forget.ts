/**
 * Forgets a user, and stops after the first piece, which it prints.
 *
 * Arguments: the address, the schema and the user.
 */
import { writeSync } from "node:fs";
import { PostgresMetricsCollector } from "../../src/index.ts";

const [address, schema, user = ""] = process.argv.slice(2);
const metrics = new PostgresMetricsCollector(address, { schema });
await metrics.forgetUser(user, {
  onProgress: ({ done }) => {
    writeSync(1, `${done}\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
