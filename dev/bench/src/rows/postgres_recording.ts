import { PostgresMetricsCollector } from "@perdura/postgres";
import { connected, copyInto, insert } from "../peers/bare_postgres.ts";
import { emptyTables, interactionsIn, postgresOf } from "../postgres/tables.ts";
import type { Place, Row } from "../row.ts";
import type { Side } from "../run/measure.ts";
import { csvFile, records } from "./record_many.ts";

/** Rows that a round records one after the other, enough to be measured. */
const ROWS_A_ROUND = 500;

const collectorOf = (place: Place): PostgresMetricsCollector =>
  new PostgresMetricsCollector(postgresOf(place).own, { schema: "ours" });

/** Consecutive calls use the same connection of the pool. */
function oneByOne(place: Place): Side {
  const collector = collectorOf(place);
  return {
    name: "perdura",
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
function atOnce(place: Place): Side {
  let collector: PostgresMetricsCollector | undefined;
  return {
    name: "perdura",
    prepare: async () => {
      await collector?.close();
      await emptyTables(place, "ours");
      collector = collectorOf(place);
      await collector.getAllUsers();
    },
    round: async () => {
      await collector?.recordMany(records(place.rows));
      return place.rows;
    },
    close: async () => collector?.close(),
  };
}

/** Copies a file with PostgreSQL's COPY into empty tables of the same layout each round. */
export async function byCopy(place: Place, path: string, format?: "csv"): Promise<Side> {
  const client = await connected(postgresOf(place).own);
  return {
    name: "COPY",
    prepare: () => emptyTables(place, "peer"),
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
      await emptyTables(place, "ours");
      await emptyTables(place, "peer");
    },
    sides: { ours: oneByOne, peer: byInserts },
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
    sides: { ours: atOnce, peer: (place) => byCopy(place, csvFile(place), "csv") },
  },
];
