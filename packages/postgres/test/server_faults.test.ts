import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { startPostgres } from "@perdura/test-servers/postgres/server.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { isPerduraError, PatternLibrary } from "@perdura/v16";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { programWords } from "../../../test/programs.ts";
import { metricsIn, otherProgram, patternsIn } from "./elements.ts";

const CLIENTS = 16;

/** A server that may be killed: all acknowledged data is durable. */
async function durableServer(): ReturnType<typeof startPostgres> {
  const server = await startPostgres({ durable: true });
  onTestFinished(() => server.stop());
  return server;
}

describeWithPostgres("when the server ends", () => {
  test("no acknowledged row is lost when it is killed under load, and the clients continue", async () => {
    const server = await durableServer();
    const clients = Array.from({ length: CLIENTS }, () => metricsIn(server.url, { schema: "perdura" }));
    const acknowledged: number[] = [];
    const failures: unknown[] = [];
    const work = { over: false };
    const record = async (client: number): Promise<void> => {
      while (!work.over) {
        try {
          acknowledged.push((await clients[client]?.recordInteraction(`u${client}`, 2, true, 1)) as number);
        } catch (error) {
          failures.push(error);
          // The server is down: let other work run.
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
    };
    const loops = Array.from({ length: CLIENTS }, (_, client) => record(client));
    const untilMore = (rows: number): Promise<boolean> => {
      const wanted = acknowledged.length + rows;
      return vi.waitUntil(() => acknowledged.length >= wanted, { timeout: PATIENCE_MS, interval: 5 });
    };
    await untilMore(500);
    for (let time = 0; time < 2; time += 1) {
      await server.kill();
      await server.start();
      await untilMore(500);
    }
    work.over = true;
    await Promise.all(loops);
    const { rows } = await otherProgram(server.url, "perdura").query("SELECT id::int FROM interactions");
    const stored = new Set(rows.map(({ id }) => id as number));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.filter((error) => !isPerduraError(error, "PERDURA_STORAGE"))).toEqual([]);
    // Writes in progress may have been stored.
    expect(stored.size - acknowledged.length).toBeLessThanOrEqual(failures.length);
    expect((await clients[0]?.getGlobalStats())?.total_interactions).toBe(stored.size);
  });

  test("stores all rows of 16 clients with 2,000 rows each", async () => {
    const server = await durableServer();
    const clients = Array.from({ length: CLIENTS }, () => metricsIn(server.url, { schema: "perdura" }));
    await Promise.all(
      clients.map(async (metrics, client) => {
        const writer = metrics.writer();
        const rows = Array.from({ length: 2000 }, (_, row) => writer.recordInteraction(`u${client}`, 1, true, row));
        await Promise.all(rows);
      }),
    );
    expect(await clients[0]?.getGlobalStats()).toEqual({
      total_users: CLIENTS,
      total_interactions: 2000 * CLIENTS,
      success_rate: 1,
    });
    await server.kill();
    await server.start();
    expect((await clients[1]?.getGlobalStats())?.total_interactions).toBe(2000 * CLIENTS);
  });

  test.for(["once", "retry"] as const)(
    "each acknowledged row of four processes is stored once across two kills of the server (%s)",
    async (way) => {
      const server = await durableServer();
      const metrics = metricsIn(server.url, { schema: "perdura" });
      await metrics.getAllUsers();
      const acknowledged = new Map<string, string[]>();
      const program = programWords(new URL("programs/record_through_ends.ts", import.meta.url));
      const recorders = ["a", "b", "c", "d"].map((user) => {
        const recorder = spawn(process.execPath, [...program, server.url, user, way], {
          stdio: ["ignore", "pipe", "inherit"],
        });
        onTestFinished(() => void recorder.kill("SIGKILL"));
        const rows: string[] = [];
        acknowledged.set(user, rows);
        createInterface(recorder.stdout).on("line", (row) => rows.push(row));
        return once(recorder, "close");
      });
      const untilAll = (rows: number): Promise<boolean> =>
        vi.waitUntil(() => [...acknowledged.values()].flat().length >= rows, { timeout: PATIENCE_MS, interval: 5 });
      for (const rows of [200, 600]) {
        await untilAll(rows);
        await server.kill();
        await server.start();
      }
      expect((await Promise.all(recorders)).map(([status]) => status as unknown)).toEqual([0, 0, 0, 0]);
      const { rows } = await otherProgram(server.url, "perdura").query<{ user_id: string; row: string }>(
        "SELECT user_id, response_time_ms::text AS row FROM interactions ORDER BY user_id, response_time_ms",
      );
      for (const [user, wanted] of acknowledged) {
        const stored = rows.filter(({ user_id }) => user_id === user).map(({ row }) => row);
        expect(new Set(stored).size).toBe(stored.length);
        expect(wanted.filter((row) => !stored.includes(row))).toEqual([]);
        if (way === "retry") expect(stored).toEqual(Array.from({ length: 400 }, (_, row) => `${row + 1}`));
      }
      expect(await metrics.recount().catch(() => metrics.recount())).toEqual({
        users: 4,
        wrongUsers: [],
        wrongTotals: false,
      });
    },
  );

  test.for(["fast", "immediate"] as const)("idle connections survive a restart (%s)", async (mode) => {
    const server = await durableServer();
    const metrics = metricsIn(server.url);
    const patterns = patternsIn(server.url);
    await Promise.all([
      metrics.recordInteraction("a", 1, true, 1),
      metrics.getAllUsers(),
      patterns.save(new PatternLibrary()),
    ]);
    await server.restart(mode);
    // A connection of the pool may turn out to be broken once.
    const twice = async <Result>(task: () => Promise<Result>): Promise<Result> => task().catch(task);
    expect(await twice(() => metrics.getAllUsers())).toEqual(["a"]);
    expect((await twice(() => patterns.load())).size).toBe(0);
  });
});
