import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PostgresMetricsCollector } from "@perdura/postgres";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { installedBinaries } from "@perdura/test-servers/postgres/installed_binaries.js";
import { dropTestObject, testName } from "@perdura/test-servers/postgres/test_objects.js";
import { temporaryPlace } from "@perdura/test-servers/processes/plain_user.js";
import { until } from "@perdura/test-servers/processes/until.js";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { HEAVY_USER, TYPICAL_USER } from "../src/data/interactions.ts";
import { connected, userStatistics } from "../src/peers/bare_postgres.ts";
import { fillSchema, schemaWith } from "../src/postgres/data_set.ts";
import { interactionsIn, onServer } from "../src/postgres/tables.ts";
import type { MachineReport } from "../src/report/machine.ts";
import { bench, benchProcess, COMMAND } from "./run_bench.ts";
import { needs } from "../../../test/needs.ts";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

const NAMES = [
  "postgres-record-bare",
  "postgres-record-many-copy",
  "postgres-user-stats",
  "postgres-user-stats-size",
  "postgres-breakdown",
  "postgres-breakdown-user",
  "postgres-record-keys",
  "postgres-copy",
];

/** A directory that all users can reach, as the user of a server must. */
function newDirectory(): string {
  const directory = temporaryFolder(temporaryPlace());
  chmodSync(directory, 0o777);
  return directory;
}

/** The sides of a killed command end a moment after it. */
const remove = (directory: string): void => rmSync(directory, { recursive: true, force: true, maxRetries: 20 });

test("rows that need PostgreSQL are reported as not run without it", () => {
  // A machine without binaries.
  const other = `Object.defineProperty(process, "arch", { value: "abacus" })`;
  const options = `--import=data:text/javascript,${encodeURIComponent(other)}`;
  const { status, stdout } = benchProcess(["postgres", "--json"], { NODE_OPTIONS: options, TEST_PG_URL: "" });
  expect(status).toBe(0);
  const absent = { ours: null, peer: null, timeRatio: null, memoryRatio: null, kept: null };
  expect((JSON.parse(stdout) as MachineReport).rows).toMatchObject(
    NAMES.map((name) => ({ ...absent, name, notRun: "no PostgreSQL" })),
  );
});

describeWithPostgres("rows on an existing server", (postgres) => {
  async function answer(statement: string): Promise<unknown[]> {
    const client = await connected(postgres.serverUrl);
    const { rows } = await client.query({ text: statement, rowMode: "array" }).finally(() => client.end());
    return rows.flat() as unknown[];
  }

  /** A user who may create databases and CHECKPOINT; its unique name identifies its databases. */
  async function newUser(): Promise<{ name: string; url: string }> {
    const name = testName();
    onTestFinished(async () => {
      const client = await connected(postgres.serverUrl);
      await dropTestObject(client, "ROLE", name).finally(() => client.end());
    });
    await answer(`CREATE ROLE ${name} LOGIN CREATEDB PASSWORD '${name}' IN ROLE pg_checkpoint`);
    const url = new URL(postgres.serverUrl);
    [url.username, url.password] = [name, name];
    return { name, url: url.href };
  }

  test("run, and leave no database on the server", async () => {
    const user = await newUser();
    const { code, stdout, stderr } = await bench(["postgres", "--rows", "2k", "--rounds", "1", "--json"], {
      TEST_PG_URL: user.url,
    });
    const left = await answer(`SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = '${user.name}'`);
    expect(left).toEqual([]);
    const { rows: results } = JSON.parse(stdout) as MachineReport;
    const side = { time: { median: expect.any(Number) }, memory: expect.any(Number) };
    expect(results).toMatchObject(NAMES.map((name) => ({ name, notRun: null, ours: side, peer: side })));
    const remark = expect.stringMatching(/^perdura: \d+\.\d{3} ms an answer, 99 of 100 within \d+\.\d{3} ms$/);
    expect(results[2]).toMatchObject({ ours: { name: "perdura", remarks: [remark] } });
    expect(code).toBe(results.some(({ kept }) => kept === false) ? 1 : 0);
    expect(stderr.includes("PostgreSQL: fsync is off")).toBe((await answer("SHOW fsync"))[0] === "off");
  });

  test("compare equal answers of perdura and the peer", async () => {
    const directory = newDirectory();
    onTestFinished(() => remove(directory));
    const own = { own: postgres.url, shared: postgres.url };
    const rows = 5000;
    const place = { directory, shared: directory, rows, postgres: own };
    await fillSchema(place, onServer(place), rows);
    const client = await connected(postgres.url);
    onTestFinished(() => client.end());
    const metrics = new PostgresMetricsCollector(postgres.url, { schema: schemaWith(rows) });
    onTestFinished(() => metrics.close());
    for (const user of [TYPICAL_USER, HEAVY_USER]) {
      const [peers, ours] = [
        (await userStatistics(client, interactionsIn(schemaWith(rows)), user)) as Record<string, unknown>,
        await metrics.getUserStats(user),
      ];
      expect(Object.keys(peers)).toEqual(Object.keys(ours));
      for (const [name, value] of Object.entries(ours))
        if (typeof value === "number") expect(Number(peers[name])).toBeCloseTo(value, 9);
        else expect(peers[name]).toBe(value);
    }
  });
});

const NONE = installedBinaries() === undefined;

describe("a server started by the command", needs("postgres", NONE), () => {
  // Each test leaves it unchanged: the copies of the server programs are made once.
  let directory: string;
  beforeAll(() => {
    directory = newDirectory();
    return () => remove(directory);
  });
  const servers = (): string[] => readdirSync(directory).filter((name) => name.startsWith("perdura-pg-"));

  test("syncs to the disk, and ends with the command", async () => {
    const { stdout, stderr } = await bench(["postgres-user-stats-size", "--rows", "1k", "--rounds", "1", "--json"], {
      TMPDIR: directory,
      TEST_PG_URL: "",
    });
    expect((JSON.parse(stdout) as MachineReport).rows).toMatchObject([{ notRun: null, ours: { name: "perdura" } }]);
    expect(stderr).not.toContain("is off");
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/^perdura-postgres-/)]);
  });

  // SIGINT is tested where no server has to be started.
  test.each(["SIGTERM", "SIGKILL"] as const)("ends when the command gets %s", async (signal) => {
    const child = spawn(process.execPath, [...COMMAND, "postgres-record-bare", "--rounds", "1000"], {
      env: { ...process.env, TMPDIR: directory, TEST_PG_URL: "" },
      stdio: "ignore",
    });
    const exit = once(child, "exit");
    const begun = (name: string): boolean => existsSync(join(directory, name, "data", "postmaster.pid"));
    await until("a server to begin", () => servers().some(begun));
    child.kill(signal);
    const [code] = (await exit) as [number | null];
    if (signal !== "SIGKILL") {
      expect(code).toBe(1);
      expect(readdirSync(directory).filter((name) => !name.startsWith("perdura-postgres-"))).toEqual([]);
    }
    await until("the end of the server", () => servers().length === 0);
  });
});
