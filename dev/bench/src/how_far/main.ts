/**
 * Measures how far each kind of database goes: rates of recording, size on disk, and the time of each question at growing
 * numbers of interactions. Prints a table.
 *
 * @module
 */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { typicalUsers } from "../data/interactions.ts";
import { ClusterOfRun, hasCitus, ServerOfRun } from "../postgres/server_of_run.ts";
import { spread } from "../measure/measure.ts";
import type { Collector, Engine } from "./engine.ts";
import { postgresEngine } from "./postgres.ts";
import { SQLITE } from "./sqlite.ts";
import { type Figures, table } from "./table.ts";

/** Number of calls of each question, of single records, and of records in one call. */
const [QUESTIONS, SINGLE, MANY] = [50, 200, 100_000];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    most: { type: "string", default: "100000000" },
    least: { type: "string", default: "1000000" },
    json: { type: "string" },
  },
});

const [least, most] = [values.least, values.most].map(Number) as [number, number];
if (!(least >= 1 && most >= least)) {
  process.stderr.write(`--least ${values.least}, --most ${values.most}: expected numbers of rows such as 1000000.\n`);
  process.exit(2);
}

const [server, cluster] = [new ServerOfRun(), new ClusterOfRun()];
const ENGINES: Record<string, Engine> = {
  sqlite: SQLITE,
  postgres: postgresEngine("PostgreSQL", server, {}),
  partitions: postgresEngine("PostgreSQL, 16 partitions", server, { partitions: 16 }),
  ...(hasCitus() ? { citus: postgresEngine("Citus", cluster, { distributed: "citus" }) } : {}),
};

const named = positionals.length > 0 ? positionals : Object.keys(ENGINES);
const engines = named.flatMap((name) => ENGINES[name] ?? []);
if (engines.length < named.length) {
  process.stderr.write(`${named.join(" ")}: expected some of ${Object.keys(ENGINES).join(", ")}.\n`);
  process.exit(2);
}

const timed = async (work: () => unknown): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

/** Median duration of a call, in milliseconds, after one that does not count. */
async function median(calls: number, call: (index: number) => unknown): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index <= calls; index += 1) times.push(await timed(() => call(index)));
  return spread(times.slice(1)).median;
}

async function measure(collector: Collector, users: number): Promise<Figures["calls"]> {
  // Another user each time, as far apart as possible.
  const user = (index: number): string => `user-${(index * 7919) % users}`;
  const many = Array.from({ length: MANY }, (_, index) => ({
    user_id: user(index),
    level: 2,
    success: true,
    response_time_ms: 5,
  }));
  return {
    "statistics of a user": await median(QUESTIONS, (index) => collector.getUserStats(user(index))),
    "trend of a user": await median(QUESTIONS, (index) => collector.getUserTrend(user(QUESTIONS + index))),
    "statistics of all users": await median(QUESTIONS, () => collector.getGlobalStats()),
    "trend of all users": await median(QUESTIONS, () => collector.getGlobalTrend()),
    "list of users": await median(5, () => collector.getAllUsers()),
    "a single record": await median(SINGLE, (index) => collector.recordInteraction(user(index), 2, true, 5)),
    "one of 100,000 records in a call": (await timed(() => collector.recordMany(many))) / MANY,
  };
}

const directory = mkdtempSync(join(tmpdir(), "perdura-how-far-"));
const found: Figures[] = [];
try {
  for (const engine of engines) {
    for (let rows = least; rows <= most; rows *= 10) {
      const users = typicalUsers(rows);
      const filled = await engine.fill(directory, rows, users);
      try {
        const figures = {
          engine: engine.name,
          rows,
          bytes: filled.bytes,
          sumsMs: filled.sumsMs,
          calls: await measure(filled.collector, users),
        };
        found.push(figures);
        if (values.json !== undefined) appendFileSync(values.json, `${JSON.stringify(figures)}\n`);
      } finally {
        await filled.close();
      }
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
  await server.close();
  await cluster.close();
}
process.stdout.write(`${table(found)}\n`);
