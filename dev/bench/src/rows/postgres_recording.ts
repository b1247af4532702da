import { PostgresMetricsCollector } from "@perdura/postgres";
import { connected, copyInto, insert } from "../peers/bare_postgres.ts";
import { type Database, emptyTables, interactionsIn, onServer, postgresOf } from "../postgres/tables.ts";
import type { Place, Row } from "../row.ts";
import type { Side } from "../measure/measure.ts";
import { csvFile, records } from "./record_many.ts";

/** Rows that a round records one after the other, enough to be measured. */
const ROWS_A_ROUND = 500;

const collectorOf = ({ addresses, layout }: Database): PostgresMetricsCollector =>
  new PostgresMetricsCollector(addresses.own, { schema: "ours", ...layout });

/** Consecutive calls use the same connection of the pool. */
export function oneByOne(database: Database, name = "perdura"): Side {
  const collector = collectorOf(database);
  return {
    name,
    round: async () => {
      for (const { user_id, level = 1, success, response_time_ms } of records(ROWS_A_ROUND))
        await collector.recordInteraction(user_id, level, success, response_time_ms);
      return ROWS_A_ROUND;
    },
    close: () => collector.close(),
  };
}

async function byInserts(place: Place): Promise<Side> {
  const client = await connected(postgresOf(place).own);
  return {
    name: "bare pg",
    round: async () => {
      for (const record of records(ROWS_A_ROUND)) await insert(client, interactionsIn("peer"), record);
      return ROWS_A_ROUND;
    },
    close: () => client.end(),
  };
}

/** Records into empty tables each round, on an open connection. */
export function atOnce(database: Database, rows: number, name = "perdura"): Side {
  let collector: PostgresMetricsCollector | undefined;
  return {
    name,
    prepare: async () => {
      await collector?.close();
      await emptyTables(database, "ours");
      collector = collectorOf(database);
      await collector.getAllUsers();
    },
    round: async () => {
      await collector?.recordMany(records(rows));
      return rows;
    },
    close: async () => collector?.close(),
  };
}

/** Copies a file with the server's COPY into empty tables of the same layout each round. */
export async function byCopy(database: Database, path: string, format?: "csv"): Promise<Side> {
  const client = await connected(database.addresses.own);
  return {
    name: "COPY",
    prepare: () => emptyTables(database, "peer"),
    round: () => copyInto(client, interactionsIn("peer"), path, format),
    close: () => client.end(),
  };
}

/** Recording on PostgreSQL: the goal is 0.9 times the rate of the driver. */
export const POSTGRES_RECORDING: Row[] = [
  {
    name: "postgres-record-bare",
    what: "record one row after the other on PostgreSQL, each committed and synced",
    peer: "bare pg's INSERT with parameters on one connection, into the same layout",
    rounds: 25,
    atMost: 1 / 0.9,
    needs: "PostgreSQL",
    data: async (place) => {
      await emptyTables(onServer(place), "ours");
      await emptyTables(onServer(place), "peer");
    },
    sides: { ours: (place) => oneByOne(onServer(place)), peer: byInserts },
  },
  {
    name: "postgres-record-many-copy",
    what: "record many rows in one transaction on PostgreSQL, per row",
    peer: "PostgreSQL's own COPY of a CSV file, into the same layout",
    rounds: 7,
    rows: 100_000,
    needs: "PostgreSQL",
    chart: "Record many rows in one transaction on PostgreSQL, per row",
    data: (place) => void csvFile(place),
    sides: {
      ours: (place) => atOnce(onServer(place), place.rows),
      peer: (place) => byCopy(onServer(place), csvFile(place), "csv"),
    },
  },
];
