import { PostgresMetricsCollector } from "@perdura/postgres";
import { HEAVY_USER } from "../data/interactions.ts";
import { connected } from "../peers/bare_postgres.ts";
import { fillTools, KEYS, toolsSchema } from "../postgres/tools_data.ts";
import { emptyTables, onServer, postgresOf } from "../postgres/tables.ts";
import type { Row } from "../row.ts";
import { awaiting } from "./asking.ts";

/** Rows that a round records one after the other, enough to be measured. */
const ROWS_A_ROUND = 500;

const METADATA = { tool: "tool 1", model: "model 2", tokens: 17 };

function breakdownRow(name: string, what: string, user: string | undefined): Row {
  return {
    name,
    what,
    peer: "SQL with ->> over the same tables, without percentiles, one statement on one connection",
    rounds: 5,
    rows: 200_000,
    atMost: 1 / 20,
    goalFrom: user === undefined ? 1_000_000 : 4_000_000,
    needs: "PostgreSQL",
    data: (place) => fillTools(onServer(place), place.rows),
    sides: {
      ours: (place) => {
        const collector = new PostgresMetricsCollector(postgresOf(place).shared, { schema: toolsSchema(place.rows) });
        return awaiting(
          "perdura",
          () => collector.getBreakdown("tool", { user_id: user, numbers: ["tokens"] }),
          () => collector.close(),
        );
      },
      peer: async (place) => {
        const client = await connected(postgresOf(place).shared);
        const schema = toolsSchema(place.rows);
        return awaiting(
          "SQL",
          () =>
            client.query(
              `SELECT metadata ->> 'tool', count(*), avg(success::integer), avg(response_time_ms),
                 sum((metadata ->> 'tokens')::numeric)
               FROM ${schema}.interactions LEFT JOIN ${schema}.interaction_metadata ON interaction_id = id
               ${user === undefined ? "" : "WHERE user_id = $1"} GROUP BY 1 ORDER BY 2 DESC`,
              user === undefined ? [] : [user],
            ),
          () => client.end(),
        );
      },
    },
  };
}

/** Breakdowns from the sums of declared keys on PostgreSQL, and what they cost when rows are recorded. */
export const POSTGRES_BREAKDOWN: Row[] = [
  breakdownRow("postgres-breakdown", "figures of each of ten tools on PostgreSQL, of all users", undefined),
  breakdownRow(
    "postgres-breakdown-user",
    "figures of each of ten tools on PostgreSQL, of one user with a twentieth of all rows",
    HEAVY_USER,
  ),
  {
    name: "postgres-record-keys",
    what: "record one row with metadata on PostgreSQL, with two declared keys, each committed and synced",
    peer: "bare pg's INSERT of both rows in one statement on one connection, into the same layout without declared keys",
    rounds: 25,
    atMost: 1.3,
    needs: "PostgreSQL",
    data: async (place) => {
      await emptyTables(onServer(place), "ours");
      await emptyTables(onServer(place), "peer");
    },
    sides: {
      ours: (place) => {
        const collector = new PostgresMetricsCollector(postgresOf(place).own, { schema: "ours", breakdown: KEYS });
        return {
          name: "perdura",
          round: async () => {
            for (let row = 0; row < ROWS_A_ROUND; row += 1)
              await collector.recordMetric(`user-${row % 50}`, true, 120.5, METADATA);
            return ROWS_A_ROUND;
          },
          close: () => collector.close(),
        };
      },
      peer: async (place) => {
        const client = await connected(postgresOf(place).own);
        return {
          name: "bare pg",
          round: async () => {
            for (let row = 0; row < ROWS_A_ROUND; row += 1)
              await client.query(
                `WITH added AS (
                   INSERT INTO peer.interactions (user_id, level, success, response_time_ms) VALUES ($1, 3, true, 120.5) RETURNING id)
                 INSERT INTO peer.interaction_metadata (interaction_id, metadata) SELECT id, $2 FROM added`,
                [`user-${row % 50}`, JSON.stringify(METADATA)],
              );
            return ROWS_A_ROUND;
          },
          close: () => client.end(),
        };
      },
    },
  },
];
