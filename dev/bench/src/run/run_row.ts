import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestDatabase } from "@perdura/test-servers/postgres/database.js";
import type { Databases } from "../postgres/server_of_run.ts";
import type { Result, SideResult } from "./result.ts";
import type { Addresses, Need, Place, Row } from "../row.ts";
import { alternate, spread } from "../measure/measure.ts";
import { isThere } from "./needs.ts";
import { SideClient } from "./side_client.ts";

/** Directories and settings of one run of the command. */
export interface Run {
  /** Everything is below this directory. */
  directory: string;
  /** Value of `--rows`, or null. */
  rows: number | null;
  /** Value of `--rounds`, or null. */
  rounds: number | null;
  /** For the rows that need it. */
  postgres: Databases;
  /** For the rows that need Citus. */
  cluster: Databases;
}

/** A side of a row. */
export interface Seat {
  row: Row;
  side: "ours" | "peer";
}

/** Measures one row; skips one whose peer is not available. */
export async function runRow(row: Row, run: Run): Promise<Result> {
  const rows = row.rows === undefined ? null : Math.min(run.rows ?? row.rows, row.mostRows ?? Infinity);
  const rounds = run.rounds ?? row.rounds;
  if (row.needs !== undefined && !isThere(row.needs)) return { row, rows, rounds, notRun: `no ${row.needs}` };
  const { times, sides } = await runSeats(
    [
      { row, side: "ours" },
      { row, side: "peer" },
    ],
    run,
    rows ?? 0,
    rounds,
  );
  const [ours, peer] = sides as [SideResult, SideResult];
  const timeRatio = spread(times.map(([our, their]) => (our as number) / (their as number)));
  return { row, rows, rounds, measurement: { ours, peer, timeRatio } };
}

/** Lets sides work in alternation at one size. They may belong to several rows. */
export async function runSeats(
  seats: readonly Seat[],
  run: Run,
  rows: number,
  rounds: number,
): Promise<{ times: number[][]; sides: SideResult[] }> {
  const directory = mkdtempSync(join(run.directory, "row-"));
  const shared = join(run.directory, "shared");
  mkdirSync(shared, { recursive: true });
  const needs = (...wanted: Need[]): boolean =>
    seats.some(({ row }) => row.needs !== undefined && wanted.includes(row.needs));
  const databases = needs("PostgreSQL", "Citus") ? await run.postgres.databases() : undefined;
  const ofCluster = needs("Citus") ? await run.cluster.databases() : undefined;
  const place: Place = {
    directory,
    shared,
    rows,
    ...(databases === undefined ? {} : { postgres: addressesOf(databases) }),
    ...(ofCluster === undefined ? {} : { cluster: addressesOf(ofCluster) }),
  };
  const clients: SideClient[] = [];
  try {
    for (const row of new Set(seats.map((seat) => seat.row))) await row.data?.(place);
    for (const { row, side } of seats) clients.push(await SideClient.start({ row: row.name, side, place }));
    const times = await alternate(clients, rounds);
    const sides: SideResult[] = [];
    for (const [index, client] of clients.entries()) {
      const ending = await client.end();
      sides.push({ name: client.name, time: spread(times.map((time) => time[index] as number)), ...ending });
    }
    return { times, sides };
  } finally {
    for (const client of clients) await client.stop();
    if (databases !== undefined) await run.postgres.drop(databases.own);
    if (ofCluster !== undefined) await run.cluster.drop(ofCluster.own);
    rmSync(directory, { recursive: true, force: true });
  }
}

function addressesOf({ own, shared }: { own: TestDatabase; shared: string }): Addresses {
  return { own: own.url, shared };
}
