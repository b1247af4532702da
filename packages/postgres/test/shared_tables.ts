import type { Pool } from "pg";
import { afterAll, onTestFailed } from "vitest";
import { Connection } from "../src/connection/connection.ts";
import { checkedOptions } from "../src/connection/options.ts";
import type { PostgresOptions } from "../src/index.ts";
import { ensureTables, type Tables } from "../src/layout/set_up.ts";
import { StatisticsReader } from "../src/metrics/statistics_reader.ts";
import { newSchema, poolOfOther } from "./elements.ts";
import { LAYOUT, ON_CITUS } from "./layouts.ts";

/** Tables with our own connection and those of another program. */
export interface SharedTables extends Tables {
  connection: Connection;
  questions: StatisticsReader;
  other: Pool;
}

/**
 * Called in a `describe`. The returned function gives tables without interactions, which all tests of the `describe`
 * share, because creating tables takes longer than most tests. After a failed test, the next one gets new tables.
 *
 * @param postgres Its URL is read in the tests.
 */
export function sharedTables(postgres: { readonly url: string }): (layout?: PostgresOptions) => Promise<SharedTables> {
  const created: SharedTables[] = [];
  const usable = new Map<string, SharedTables>();
  afterAll(async () => {
    for (const { connection, other } of created) await Promise.all([connection.close(), other.end()]);
  });
  return async (layout = LAYOUT) => {
    const key = JSON.stringify(layout);
    onTestFailed(() => void usable.delete(key));
    const found = usable.get(key);
    // A distributed table cannot restart its sequence.
    if (found !== undefined && !ON_CITUS) {
      await found.other.query("TRUNCATE interactions RESTART IDENTITY CASCADE");
      return found;
    }
    const schema = newSchema();
    const connection = new Connection(postgres.url, checkedOptions({ schema, ...layout }));
    const tables = await ensureTables(connection);
    const questions = new StatisticsReader(connection, tables.names);
    const shared = { ...tables, connection, questions, other: poolOfOther(postgres.url, schema) };
    created.push(shared);
    usable.set(key, shared);
    return shared;
  };
}
