import { join } from "node:path";
import { PostgresMetricsCollector } from "@perdura/postgres";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { type PostgresServer, startPostgres } from "@perdura/test-servers/postgres/server.js";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { startNode } from "../live/writer.ts";
import { freshFolder } from "../support/folder.ts";
import { contentOf, makeDatabase, patternRow } from "./both_sides.ts";
import { startCopy } from "./copy_process.ts";
import { LIMITS, slowDatabase } from "./slow_database.ts";

/** Rows of more than one piece that is verified at once. */
const MANY = 12_000;
const ROWS = {
  patterns: [patternRow("p", 1n, { context: "{}" })],
  usage: [[1n, "p", "a", 1n, "then"]],
  interactions: Array.from({ length: MANY }, (_, index) => [BigInt(index + 1), "u", 3n, 1n, 1.5, "then"]),
  metadata: [[1n, "{}"]],
};
/**
 * Limits that concern the work: on a loaded machine, a new connection may be idle for as long before its limits are
 * lifted.
 */
const OF_WORK = LIMITS.filter((limit) => limit !== "idle_session_timeout");
const DONE = { exit_code: 0, verified: true };

describeWithPostgres("statements that take longer than the server allows", (postgres) => {
  test("two concurrent copies: each finishes or reports the other", async (context) => {
    const { url } = await slowDatabase(postgres.serverUrl, context, { limits: OF_WORK });
    const source = makeDatabase(join(freshFolder(), "m.db"), ROWS);
    const ended = await Promise.all([startCopy(source, url).ended, startCopy(source, url).ended]);
    for (const { code, stdout, stderr } of ended) {
      expect([0, 5], stdout + stderr).toContain(code);
      expect(stdout + stderr).not.toMatch(/timeout|terminat|duplicate key|deadlock/);
    }
    expect(ended.map(({ code }) => code)).toContain(0);
    expect(await copyData(source, url)).toMatchObject({ ...DONE, summary: expect.stringContaining("Nothing to do") });
  });

  test("a source in SQLite that gets rows meanwhile", async (context) => {
    const { url } = await slowDatabase(postgres.serverUrl, context, { limits: OF_WORK });
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), ROWS);
    const writer = startNode("record_16", source, "meanwhile");
    await writer.more(20);
    expect(await copyData(source, url)).toMatchObject(DONE);
    await writer.more(1);
    expect(await writer.end()).toBe(0);
    expect(await copyData(source, url)).toMatchObject(DONE);
    expect(await copyData(url, join(folder, "back.db"))).toMatchObject(DONE);
    expect(contentOf(join(folder, "back.db"))).toEqual(contentOf(source));
  });

  test("a target in PostgreSQL that gets rows meanwhile", async (context) => {
    // Recorders are subject to the limits, and must not be slow.
    const { url } = await slowDatabase(postgres.serverUrl, context, {
      written: ["perdura_meta", "patterns"],
      limits: OF_WORK,
    });
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), ROWS);
    const metrics = new PostgresMetricsCollector(url);
    onTestFinished(() => metrics.close());
    const recorded: Promise<number>[] = [];
    expect(
      await copyData(source, url, {
        onProgress: ({ stage }) => {
          if (stage === "copy" && recorded.length < 30) recorded.push(metrics.recordInteraction("other", 2, true, 1));
        },
      }),
    ).toMatchObject(DONE);
    expect(recorded.length).toBeGreaterThan(0);
    for (const id of await Promise.all(recorded)) expect(id).toBeGreaterThan(MANY);
    const repeated = await copyData(source, url);
    expect(repeated).toMatchObject(DONE);
    expect(repeated.tables.find(({ table }) => table === "interactions")).toMatchObject({
      present: MANY,
      copied: 0,
      recorded_since: recorded.length,
    });
  });

  describeWithPostgres("on a server that dies", () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres({ durable: true });
      return () => server.stop();
    });

    test.for(["compare", "copy", "verify"])(
      "at %s: the error names the server, and the next run finishes",
      async (at, context) => {
        const { url } = await slowDatabase(server.url, context, { limits: OF_WORK });
        const folder = freshFolder();
        const source = makeDatabase(join(folder, "m.db"), ROWS);
        let killed: Promise<void> | undefined;
        const copy = copyData(source, url, {
          onProgress: ({ stage, detail }) => {
            if (stage === at && detail.endsWith(" interactions")) killed ??= server.kill();
          },
        });
        await expect(copy).rejects.toThrow(
          /^postgres:\S+: copying failed: .*\. Copied rows are kept\. Run the copy again to finish\.$/,
        );
        await killed;
        await server.start();
        expect(await copyData(source, url)).toMatchObject(DONE);
        expect(await copyData(url, join(folder, "back.db"))).toMatchObject(DONE);
        expect(contentOf(join(folder, "back.db"))).toEqual(contentOf(source));
      },
    );
  });
});
