import { PostgresMetricsCollector } from "@perdura/postgres";
import { TYPICAL_USER } from "../data/interactions.ts";
import { connected, userStatistics } from "../peers/bare_postgres.ts";
import { fillSchema, schemaWith } from "../postgres/data_set.ts";
import { interactionsIn, onServer, postgresOf } from "../postgres/tables.ts";
import type { Place, Row } from "../row.ts";
import type { Side } from "../measure/measure.ts";
import { awaiting } from "./asking.ts";

const tenth = (rows: number): number => Math.ceil(rows / 10);

function perdura(place: Place, rows: number, name = "perdura"): Side {
  const collector = new PostgresMetricsCollector(postgresOf(place).shared, { schema: schemaWith(rows) });
  return awaiting(
    name,
    () => collector.getUserStats(TYPICAL_USER),
    () => collector.close(),
  );
}

/** Aggregates over the same rows as our side, by the index on their user. */
async function aggregates(place: Place): Promise<Side> {
  const client = await connected(postgresOf(place).shared);
  const table = interactionsIn(schemaWith(place.rows));
  return awaiting(
    "aggregates",
    () => userStatistics(client, table, TYPICAL_USER),
    () => client.end(),
  );
}

const row = {
  what: "statistics of one user with 500 rows on PostgreSQL",
  rows: 100_000,
  needs: "PostgreSQL",
} as const;

/**
 * Statistics on PostgreSQL: the goals are 1 ms at a million rows, which the row prints, and no growth with the rows.
 */
export const POSTGRES_STATISTICS: Row[] = [
  {
    ...row,
    name: "postgres-user-stats",
    peer: "plain aggregates of bare pg over the same rows, one statement on one connection",
    rounds: 9,
    chart: "Statistics of one user with 500 rows on PostgreSQL",
    data: (place) => fillSchema(place, onServer(place), place.rows),
    sides: { ours: (place) => perdura(place, place.rows), peer: aggregates },
  },
  {
    ...row,
    name: "postgres-user-stats-size",
    peer: "the same at a tenth of the rows",
    rounds: 15,
    atMost: 1.2,
    goalFrom: 1_000_000,
    data: async (place) => {
      for (const rows of [place.rows, tenth(place.rows)]) await fillSchema(place, onServer(place), rows);
    },
    sides: {
      ours: (place) => perdura(place, place.rows),
      peer: (place) => perdura(place, tenth(place.rows), "a tenth of the rows"),
    },
  },
];
