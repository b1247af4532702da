import { isPerduraError, VERSION } from "perdura-16";
import pg from "pg";
import type { Adapter } from "../src/protocol/messages.ts";
import { TABLE_DUMP } from "../src/protocol/operations.ts";
import { LineAdapter } from "./line_adapter.ts";
import { CaseDatabases } from "./postgres/case_databases.ts";
import { metricsOperations } from "./postgres/metrics_operations.ts";
import { patternOperations } from "./postgres/pattern_operations.ts";
import { POSTGRES_CHOICES } from "./postgres/rulings.ts";

/**
 * The adapter of the 16+ line on PostgreSQL. Each database of a case is a separate schema, which is dropped at the end.
 *
 * With `TEST_LAYOUT=citus`, the tables are distributed over the workers of a cluster.
 *
 * @param address address of the server; by default `TEST_PG_URL`, else libpq's environment variables.
 * @throws {Error} when the server cannot be reached, since no case could be judged.
 */
export async function createAdapter(address: string | undefined = process.env["TEST_PG_URL"]): Promise<Adapter> {
  const pool = new pg.Pool({
    ...(address === undefined || address === "" ? {} : { connectionString: address }),
    connectionTimeoutMillis: 5000,
    allowExitOnIdle: true,
    // A session keeps the plans of functions of schemas that were dropped, and checks all of them at each change of a table.
    maxUses: 500,
  });
  // Without a listener, an idle connection that breaks would end the process; the next statement reports the error.
  pool.on("error", () => undefined);
  try {
    await pool.query("SELECT 1");
  } catch (error) {
    await pool.end();
    const place = "TEST_PG_URL, or PGHOST and what goes with it, must name one";
    throw new Error(`no PostgreSQL server lets us in (${place}): ${wordsOf(error)}`, { cause: error });
  }
  const databases = new CaseDatabases(pool);
  return new LineAdapter({
    introduction: {
      protocol: 1,
      spec_version: VERSION,
      implementation: { name: "perdura on PostgreSQL", version: VERSION, language: "TypeScript" },
      capabilities: ["patterns_sqlite", "usage", "metrics", "trends", TABLE_DUMP],
      choices: POSTGRES_CHOICES,
    },
    isPerduraError,
    operations: { ...patternOperations(databases), ...metricsOperations(databases) },
    storedElsewhere: databases,
  });
}

/** Node.js tries several addresses of a host, and its error for all of them has no message. */
function wordsOf(error: unknown): string {
  const { message = "", errors = [] } = error as { message?: string; errors?: Error[] };
  return message === "" ? errors.map((each) => each.message).join("; ") : message;
}
