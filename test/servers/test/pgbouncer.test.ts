import { existsSync, writeFileSync, chmodSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, test, vi } from "vitest";
import { describeWithPostgres } from "../src/postgres/for_tests.ts";
import { configuration } from "../src/pgbouncer/configuration.ts";
import { installedPgBouncer } from "../src/pgbouncer/installed_pgbouncer.ts";
import { startPgBouncer } from "../src/pgbouncer/pgbouncer.ts";
import type { PgBouncer } from "../src/pgbouncer/pgbouncer.ts";
import { runs } from "../src/processes/process_tree.ts";
import { openDirectory } from "./place_of_copy.ts";
import { query } from "./query.ts";
import { PATIENCE_MS } from "../../patience.ts";
import { needs } from "../../needs.ts";

const NONE = installedPgBouncer() === undefined;

describeWithPostgres("a pooler before the server", (postgres) => {
  test("connects to the same database", needs("pgbouncer", NONE), async () => {
    await query(postgres.url, "CREATE TABLE seen (id int)", "INSERT INTO seen VALUES (7)");
    const pooler = (await startPgBouncer(postgres)) as PgBouncer;
    try {
      expect(await query(pooler.url, "SELECT id FROM seen")).toEqual([[7]]);
      expect(new URL(pooler.url).pathname).toBe(new URL(postgres.url).pathname);
    } finally {
      await pooler.stop();
    }
  });

  test("assigns a connection for each transaction", needs("pgbouncer", NONE), async () => {
    const pooler = (await startPgBouncer(postgres, { default_pool_size: "1" })) as PgBouncer;
    const clients = [1, 2].map(() => new Client({ connectionString: pooler.url, query_timeout: PATIENCE_MS }));
    try {
      const pids = [];
      for (const client of clients) {
        await client.connect();
        pids.push((await client.query("SELECT pg_backend_pid() AS pid")).rows[0].pid);
      }
      expect(pids[1]).toBe(pids[0]);
    } finally {
      for (const client of clients) await client.end();
      await pooler.stop();
    }
  });

  test("leaves no process and no files when it is stopped", needs("pgbouncer", NONE), async () => {
    const pooler = (await startPgBouncer(postgres)) as PgBouncer;
    expect(runs(pooler.pid)).toBe(true);
    await pooler.stop();
    expect(runs(pooler.pid)).toBe(false);
    expect(existsSync(pooler.directory)).toBe(false);
    await expect(query(pooler.url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
  });

  test("reports why it does not start", needs("pgbouncer", NONE), async () => {
    await expect(startPgBouncer(postgres, { pool_mode: "sometimes" })).rejects.toThrow(
      /PgBouncer did not start: .*ended with status 1\. Its output:[^]*pool_mode/,
    );
  });
});

describe("the program pgbouncer", () => {
  test("is found on the PATH only if it is executable", () => {
    const folder = openDirectory();
    const program = join(folder, "pgbouncer");
    writeFileSync(program, "#!/bin/sh\n");
    vi.stubEnv("PATH", `/nowhere:${folder}`);
    expect(installedPgBouncer()).not.toBe(program);
    chmodSync(program, 0o755);
    expect(installedPgBouncer()).toBe(program);
    vi.unstubAllEnvs();
  });
});

test("the configuration of the pooler has the server's host, port, user and password", () => {
  expect(configuration("postgres://a%40b:it's@[::1]:6543/db", 1, {})).toContain(
    "\n* = host='::1' port='6543' user='a@b' password='it''s'\n",
  );
});
