import type { PostgresServer } from "@perdura/test-servers/postgres/server.js";
import pg from "pg";
import { vi } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import type { PostgresMetricsCollector } from "../src/index.ts";
import { otherProgram } from "./elements.ts";

/** The schema of all collectors on servers of their own. */
export const SCHEMA = "perdura";

async function runOn(server: PostgresServer, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Refuses changes from now on, like a demoted server or one without space, and closes no connection. */
export const makeReadOnly = (server: PostgresServer): Promise<void> =>
  runOn(server, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()");

/** Makes a standby the primary, with every change of the former one. */
export async function promote(standby: PostgresServer, former: PostgresServer): Promise<void> {
  const [here, there] = [otherProgram(standby.url, SCHEMA), otherProgram(former.url, SCHEMA)];
  // Transactions that began before the setting may still end.
  await vi.waitUntil(async () => {
    const { rows } = await there.query("SELECT 1 FROM pg_stat_activity WHERE backend_xid IS NOT NULL");
    return rows.length === 0;
  }, PATIENCE_MS);
  const { rows } = await there.query<{ now: string }>("SELECT pg_current_wal_lsn() AS now");
  await vi.waitUntil(async () => {
    const replayed = "SELECT 1 WHERE pg_last_wal_replay_lsn() >= $1::pg_lsn";
    return (await here.query(replayed, [rows[0]?.now])).rows.length > 0;
  }, PATIENCE_MS);
  await here.query("SELECT pg_promote()");
}

/** A program that records, and repeats what failed with the same key. */
export class Recorder {
  readonly user: string;
  readonly #metrics: PostgresMetricsCollector;
  acknowledged = 0;
  failures: unknown[] = [];
  longestMs = 0;
  #isOver = false;

  constructor(user: string, metrics: PostgresMetricsCollector) {
    this.user = user;
    this.#metrics = metrics;
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      const begin = performance.now();
      const row = this.acknowledged + 1;
      for (let isDone = false; !isDone && !this.#isOver;) {
        try {
          await this.#metrics.recordInteraction(this.user, 1, true, row, { idempotencyKey: `${this.user} ${row}` });
          this.acknowledged = row;
          isDone = true;
        } catch (error) {
          this.failures.push(error);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
      this.longestMs = Math.max(this.longestMs, performance.now() - begin);
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Resolves when further rows were acknowledged. */
  more(rows: number): Promise<boolean> {
    const wanted = this.acknowledged + rows;
    return vi.waitUntil(() => this.acknowledged >= wanted, { timeout: PATIENCE_MS, interval: 5 });
  }
}
