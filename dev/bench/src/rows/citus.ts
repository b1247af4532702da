import { PostgresMetricsCollector } from "@perdura/postgres";
import { TYPICAL_USER } from "../data/interactions.ts";
import { fillSchema, schemaWith } from "../postgres/data_set.ts";
import { type Database, emptyTables, onCluster, onServer } from "../postgres/tables.ts";
import type { Place, Row } from "../row.ts";
import type { Side } from "../measure/measure.ts";
import { type PartOfRun, ROWS, WHOLE } from "../measure/published_programs.ts";
import { awaiting } from "./asking.ts";
import { byProgram, text } from "./postgres_copy.ts";
import { atOnce, byCopy, oneByOne } from "./postgres_recording.ts";

const CLUSTER = "cluster";
const SERVER = "one server";

const fillBoth = async (place: Place): Promise<void> => {
  for (const database of [onServer(place), onCluster(place)]) await fillSchema(place, database, place.rows);
};

function asking({ addresses, layout }: Database, name: string, ask: Ask, { rows }: Place): Side {
  const collector = new PostgresMetricsCollector(addresses.shared, { schema: schemaWith(rows), ...layout });
  return awaiting(
    name,
    () => ask(collector),
    () => collector.close(),
  );
}

type Ask = (collector: PostgresMetricsCollector) => Promise<unknown>;

const question = (name: string, what: string, ask: Ask): Row => ({
  name: `citus-${name}`,
  what: `${what} on a cluster of Citus`,
  peer: "the same on one PostgreSQL server of this machine",
  rounds: 9,
  rows: 300_000,
  needs: "Citus",
  data: fillBoth,
  sides: {
    ours: (place) => asking(onCluster(place), CLUSTER, ask, place),
    peer: (place) => asking(onServer(place), SERVER, ask, place),
  },
});

/** The goal is 0.7 times the rate of Citus's own COPY. With fewer rows, opening connections to the workers is a large part. */
const copying = (name: string, counted: string, part: PartOfRun): Row => ({
  name,
  what: `perdura-migrate copy of a database to a cluster of Citus, ${counted}, per row`,
  peer: "Citus's own COPY of the same rows from a text file, into the same layout",
  rounds: 5,
  atMost: 1 / 0.7,
  goalFrom: 1_000_000,
  rows: 300_000,
  needs: "Citus",
  data: (place) => void text(place),
  sides: {
    ours: (place) => byProgram(place, onCluster(place), part),
    peer: (place) => byCopy(onCluster(place), text(place)),
  },
});

/**
 * A cluster compared with one server. Where all servers are on one machine, the cluster cannot be faster: the ratio is what the
 * distribution costs.
 */
export const CITUS: Row[] = [
  {
    name: "citus-record",
    what: "record one row after the other on a cluster of Citus, each committed and synced",
    peer: "the same on one PostgreSQL server of this machine",
    rounds: 15,
    needs: "Citus",
    data: async (place) => {
      for (const database of [onServer(place), onCluster(place)]) await emptyTables(database, "ours");
    },
    sides: {
      ours: (place) => oneByOne(onCluster(place), CLUSTER),
      peer: (place) => oneByOne(onServer(place), SERVER),
    },
  },
  {
    name: "citus-record-many",
    what: "record many rows in one transaction on a cluster of Citus, per row",
    peer: "the same on one PostgreSQL server of this machine",
    rounds: 5,
    rows: 100_000,
    needs: "Citus",
    sides: {
      ours: (place) => atOnce(onCluster(place), place.rows, CLUSTER),
      peer: (place) => atOnce(onServer(place), place.rows, SERVER),
    },
  },
  question("user-stats", "statistics of one user with 500 rows", (collector) => collector.getUserStats(TYPICAL_USER)),
  question("user-trend", "trend of one user with 500 rows", (collector) => collector.getUserTrend(TYPICAL_USER)),
  question("global-stats", "statistics of all users", (collector) => collector.getGlobalStats()),
  question("global-trend", "trend of all users", (collector) => collector.getGlobalTrend()),
  question("users", "the list of users", (collector) => collector.getAllUsers()),
  copying("citus-copy", "the whole program", WHOLE),
  copying("citus-copy-rows", "from its first row to the last commit", ROWS),
];
