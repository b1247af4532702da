import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { inspect } from "node:util";
import { freePort } from "@perdura/test-servers/processes/free_port.js";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { type PostgresServer, startPostgres } from "@perdura/test-servers/postgres/server.js";
import { startStandby } from "@perdura/test-servers/postgres/standby.js";
import { expect, onTestFinished, test, vi } from "vitest";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { atShortLimit } from "../../../test/short_limit.ts";
import { PostgresMetricsCollector, type PostgresMetricsOptions } from "../src/index.ts";
import { otherProgram } from "./elements.ts";
import { ON_CITUS } from "./layouts.ts";
import { makeReadOnly, promote, Recorder, SCHEMA } from "./switch_over.ts";

/** The address of several servers. */
function addressOf(ports: readonly number[], target?: string): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
  return `postgres://postgres:hunter2@${hosts}/postgres${target === undefined ? "" : `?target_session_attrs=${target}`}`;
}

function metricsAt(address: string | undefined, options: PostgresMetricsOptions = {}): PostgresMetricsCollector {
  const metrics = new PostgresMetricsCollector(address, { schema: SCHEMA, ...options });
  onTestFinished(() => metrics.close());
  return metrics;
}

/** Programs that are connected to a server, by their names. */
async function programsOn(server: PostgresServer): Promise<string[]> {
  const { rows } = await otherProgram(server.url, SCHEMA).query<{ name: string }>(
    "SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE application_name LIKE 'of %' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

async function startPair(): Promise<[primary: PostgresServer, standby: PostgresServer]> {
  const durable = { durable: true, settings: { synchronous_commit: "on" } };
  const primary = await startPostgres(durable);
  onTestFinished(() => primary.stop());
  const metrics = metricsAt(primary.url);
  await metrics.recordMetric("a", true, 1);
  const standby = await startStandby(primary);
  onTestFinished(() => standby.stop());
  const here = otherProgram(standby.url, SCHEMA);
  await vi.waitUntil(
    async () => (await here.query("SELECT 1 FROM interactions").catch(() => ({ rows: [] }))).rows.length > 0,
    PATIENCE_MS,
  );
  return [primary, standby];
}

describeWithPostgres("an address with several hosts", () => {
  const skip = { skip: ON_CITUS };

  test("uses the first server that has the wanted properties", skip, async () => {
    const [primary, standby] = await startPair();
    const nobody = await freePort();
    for (const [target, wanted] of [
      [undefined, standby],
      ["any", standby],
      ["read-write", primary],
      ["primary", primary],
      ["read-only", standby],
      ["standby", standby],
      ["prefer-standby", standby],
    ] as const) {
      const ports =
        wanted === standby && target !== undefined && target !== "any"
          ? [nobody, primary.port, standby.port]
          : [nobody, standby.port, primary.port];
      const address = addressOf(ports, target);
      const mark = `application_name=of%20${target ?? "none"}`;
      const metrics = metricsAt(`${address}${target === undefined ? "?" : "&"}${mark}`);
      expect(await Promise.all([1, 2, 3].map(() => metrics.getAllUsers()))).toEqual([["a"], ["a"], ["a"]]);
      expect({ target, programs: await programsOn(wanted) }).toEqual({ target, programs: [`of ${target ?? "none"}`] });
      expect(await programsOn(wanted === primary ? standby : primary)).toEqual([]);
      await metrics.close();
      await vi.waitUntil(async () => (await programsOn(wanted)).length === 0, PATIENCE_MS);
    }
  });

  test("prefers a standby, and uses the primary without one", skip, async () => {
    const [primary, standby] = await startPair();
    const metrics = metricsAt(
      `${addressOf([primary.port, standby.port], "prefer-standby")}&application_name=of%20preference`,
    );
    const fails = expect.objectContaining({ code: "25006" }) as Error;
    await expect(metrics.recordMetric("a", true, 1)).rejects.toMatchObject({ cause: fails });
    await standby.stop();
    await vi.waitUntil(
      () =>
        metrics.recordMetric("b", true, 1).then(
          () => true,
          () => false,
        ),
      PATIENCE_MS,
    );
    // Connections to the primary stay in use.
    const pids = async (): Promise<unknown[]> => {
      const { rows } = await otherProgram(primary.url, SCHEMA).query(
        "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'of %' ORDER BY 1",
      );
      return rows;
    };
    const before = await pids();
    for (let call = 0; call < 3; call += 1) await metrics.recordMetric("b", true, 1);
    expect(before).not.toEqual([]);
    expect(await pids()).toEqual(before);
  });

  test("reports each host with its reason, and no password", skip, async () => {
    const [primary, standby] = await startPair();
    const nobody = await freePort();
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const mute = (silent.address() as AddressInfo).port;
    const refusal = async (ports: readonly number[], target: string, connectTimeoutMs: number): Promise<Error> => {
      const metrics = metricsAt(addressOf(ports, target), { connectTimeoutMs });
      return metrics.getAllUsers().then(
        () => new Error("no refusal"),
        (error: unknown) => error as Error,
      );
    };
    const errors: Error[] = [];
    for (const [ports, target, reasons] of [
      [[standby.port, nobody], "read-write", [/it only reads, and target_session_attrs is read-write/, /ECONNREFUSED/]],
      [[mute, standby.port], "primary", [/timeout/, /it is a standby, and target_session_attrs is primary/]],
      [[primary.port], "standby", [/it is a primary, and target_session_attrs is standby/]],
      [[nobody, primary.port], "read-only", [/ECONNREFUSED/, /it also writes, and/]],
    ] as const) {
      await atShortLimit(async (connectTimeoutMs) => {
        const error = await refusal(ports, target, connectTimeoutMs);
        errors.push(error);
        expect(error).toMatchObject({ code: "PERDURA_STORAGE" });
        const [, listed = ""] = /reading failed: (.*)\.$/.exec(error.message) ?? [];
        const parts = listed.split("; ");
        expect({ message: error.message, count: parts.length }).toMatchObject({ count: ports.length });
        for (const [index, part] of parts.entries()) {
          expect(part.startsWith(`127.0.0.1:${ports[index]}: `), part).toBe(true);
          expect(part).toMatch(reasons[index] as RegExp);
        }
      });
    }
    expect(inspect(errors, { depth: 9 })).not.toContain("hunter2");
    // The wait of a server that does not answer does not prevent the next one.
    await atShortLimit(async (connectTimeoutMs) => {
      const metrics = metricsAt(addressOf([mute, nobody, primary.port], "read-write"), { connectTimeoutMs });
      await metrics.recordMetric("c", true, 1);
    });
  });

  test("wrong credentials end the search", skip, async () => {
    const [primary, standby] = await startPair();
    const address = addressOf([primary.port, standby.port]).replace(/postgres$/, "missing");
    await expect(metricsAt(address).getAllUsers()).rejects.toMatchObject({
      code: "PERDURA_STORAGE",
      message: expect.stringContaining(`127.0.0.1:${primary.port}: database "missing" does not exist.`) as string,
    });
  });

  test("loses and repeats no acknowledged call: demoted, promoted, killed", skip, async (context) => {
    const [first, second] = await startPair();
    const places = {
      first: addressOf([first.port, second.port], "read-write"),
      second: addressOf([second.port, first.port], "primary"),
    };
    const recorders = Object.entries(places).map(([user, place]) => new Recorder(user, metricsAt(place)));
    const work = recorders.map((recorder) => recorder.run());
    onTestFinished(() => recorders.forEach((recorder) => recorder.stop()));
    const all = (): Promise<boolean[]> => Promise.all(recorders.map((recorder) => recorder.more(30)));
    await all();
    await makeReadOnly(first);
    await promote(second, first);
    await recorders[0]?.more(30);
    // A former primary that still runs is a primary for libpq, too.
    await first.kill();
    await all();
    await second.kill();
    await second.start();
    await all();
    for (const recorder of recorders) recorder.stop();
    await Promise.all(work);
    const { rows } = await otherProgram(second.url, SCHEMA).query<{ user_id: string; row: number }>(
      "SELECT user_id, response_time_ms AS row FROM interactions ORDER BY user_id, response_time_ms",
    );
    for (const { user, acknowledged, failures } of recorders) {
      const stored = rows.filter(({ user_id }) => user_id === user).map(({ row }) => row);
      expect(new Set(stored).size, user).toBe(stored.length);
      expect(stored.slice(0, acknowledged), user).toEqual(Array.from({ length: acknowledged }, (_, row) => row + 1));
      expect(failures.filter((error) => (error as { code?: string }).code !== "PERDURA_STORAGE")).toEqual([]);
    }
    await context.annotate(
      `longest waits: ${recorders.map(({ user, longestMs }) => `${user} ${Math.round(longestMs)} ms`).join("; ")}`,
    );
  });

  test("is taken from libpq's variables", skip, async () => {
    const [primary, standby] = await startPair();
    for (const [name, value] of Object.entries({
      PGHOST: "127.0.0.1,127.0.0.1",
      PGPORT: `${standby.port},${primary.port}`,
      PGUSER: "postgres",
      PGDATABASE: "postgres",
      PGTARGETSESSIONATTRS: "read-write",
    }))
      vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    await metricsAt(undefined).recordMetric("a", true, 1);
  });
});
