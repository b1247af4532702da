/** Records without an address: all settings come from the environment. */
import { PostgresMetricsCollector } from "../../src/index.ts";

const metrics = new PostgresMetricsCollector(undefined, { schema: process.argv[2] });
await metrics.recordInteraction("a", 1, true, 1);
console.log(await metrics.getAllUsers());
await metrics.close();
