import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installedBinaries } from "../src/postgres/installed_binaries.ts";
import { startPostgres } from "../src/postgres/server.ts";
import type { PostgresServer } from "../src/postgres/server.ts";
import { freePort } from "../src/processes/free_port.ts";
import { runs, treeOf } from "../src/processes/process_tree.ts";
import { busyConnection, query } from "./query.ts";
import { needs } from "../../needs.ts";

const NONE = installedBinaries() === undefined;

describe("a durable server", needs("postgres", NONE), () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ durable: true, settings: { max_connections: "17", application_name: "it's" } });
  });
  afterAll(() => server.stop());

  test("answers, has its settings, and listens only on this machine", async () => {
    expect(await query(server.url, "SELECT 1")).toEqual([[1]]);
    expect(await query(server.url, "SHOW max_connections")).toEqual([["17"]]);
    expect(await query(server.url, "SELECT reset_val FROM pg_settings WHERE name = 'application_name'")).toEqual([
      ["it's"],
    ]);
    expect(await query(server.url, "SHOW listen_addresses")).toEqual([["127.0.0.1"]]);
    expect(await query(server.url, "SHOW unix_socket_directories")).toEqual([[""]]);
    expect(await query(server.url, "SHOW TimeZone")).toEqual([["UTC"]]);
  });

  test("syncs each commit to the disk", async () => {
    for (const name of ["fsync", "full_page_writes", "synchronous_commit"])
      expect(await query(server.url, `SHOW ${name}`)).toEqual([["on"]]);
  });

  test("keeps committed rows after it was killed, and leaves no process", async () => {
    await query(server.url, "CREATE TABLE kept (id int)", "INSERT INTO kept SELECT generate_series(1, 1000)");
    const connection = await busyConnection(server.url);
    const tree = treeOf(server.pid);
    expect(tree).toContain(connection.pid);
    expect(tree.length).toBeGreaterThan(3);
    await server.kill();
    expect(tree.filter(runs)).toEqual([]);
    await expect(query(server.url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
    await connection.ended;
    await server.start();
    expect(tree).not.toContain(server.pid);
    expect(await query(server.url, "SELECT count(*)::int, max(id) FROM kept")).toEqual([[1000, 1000]]);
  });

  test.each(["fast", "immediate"] as const)("answers again after a %s restart", async (mode) => {
    const connection = await busyConnection(server.url);
    const { pid, url } = server;
    await server.restart(mode);
    expect(runs(pid)).toBe(false);
    expect(server.pid).not.toBe(pid);
    expect(server.url).toBe(url);
    expect(await connection.ended).toBeInstanceOf(Error);
    expect(await query(server.url, "SELECT 1")).toEqual([[1]]);
  });

  test("refuses to start while it is running", async () => {
    await expect(server.start()).rejects.toThrow(`the PostgreSQL server on port ${server.port} is already running`);
  });
});

describe("servers", needs("postgres", NONE), () => {
  test("run at the same time without sharing data", async () => {
    const servers = await Promise.all([startPostgres(), startPostgres(), startPostgres()]);
    try {
      expect(new Set(servers.map(({ port }) => port)).size).toBe(3);
      for (const [index, { url }] of servers.entries()) await query(url, `CREATE TABLE only_here_${index} ()`);
      for (const [index, { url }] of servers.entries())
        expect(await query(url, "SELECT relname FROM pg_class WHERE relname LIKE 'only_here%'")).toEqual([
          [`only_here_${index}`],
        ]);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  });

  test("use another port if theirs is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const ports = [port, await freePort()];
    const server = await startPostgres({}, async () => ports.shift() ?? 0);
    try {
      expect(server.port).not.toBe(port);
      expect(await query(server.url, "SELECT 1")).toEqual([[1]]);
    } finally {
      await server.stop();
      other.close();
    }
  });

  test("are not confused with a server that answers on the same port", async () => {
    const first = await startPostgres();
    const ports = [first.port, await freePort()];
    const second = await startPostgres({}, async () => ports.shift() ?? 0);
    try {
      expect(second.port).not.toBe(first.port);
    } finally {
      await first.stop();
      await second.stop();
    }
  });

  test("that do not start report why", async () => {
    await expect(startPostgres({ settings: { max_connections: "many" } })).rejects.toThrow(
      /PostgreSQL did not start: .*ended with status 1\. Its output:[^]*invalid value for parameter "max_connections": "many"/,
    );
  });

  test.each(["run", "were killed"])(
    "that %s leave no process, file or shared memory when they are stopped",
    async (state) => {
      const server = await startPostgres({ durable: true });
      const tree = treeOf(server.pid);
      await busyConnection(server.url);
      const memory = sharedMemory(server.pid);
      if (state === "were killed") await server.kill();
      await server.stop();
      expect(tree.filter(runs)).toEqual([]);
      expect(existsSync(server.directory)).toBe(false);
      expect(memory.length).toBe(process.platform === "linux" ? 1 : 0);
      expect(sharedMemory(server.pid)).toEqual([]);
      await expect(server.start()).rejects.toThrow("was stopped and its data removed");
    },
  );
});

/** The shared memory segments that a process created, according to Linux. */
function sharedMemory(pid: number): string[] {
  if (process.platform !== "linux") return [];
  const lines = readFileSync("/proc/sysvipc/shm", "utf8").trim().split("\n");
  return lines.filter((line) => line.trim().split(/\s+/)[4] === `${pid}`);
}
