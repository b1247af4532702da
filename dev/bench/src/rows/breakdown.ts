import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { EXACT_UP_TO, RELATIVE_ERROR } from "@perdura/internals/metrics/breakdown/percentiles.js";
import { MetricsCollector } from "@perdura/v16";
import Database from "better-sqlite3";
import { HEAVY_USER } from "../data/interactions.ts";
import { toolsFile } from "../data/tools.ts";
import { SYNCHRONOUS } from "./recorders.ts";
import type { Side } from "../measure/measure.ts";
import { sketchErrors } from "../measure/sketch_errors.ts";
import type { Row } from "../row.ts";
import { asking } from "./asking.ts";

const data = ({ shared, rows }: { shared: string; rows: number }): void => void toolsFile(shared, rows);

function breakdownRow(name: string, what: string, user: string | undefined): Row {
  return {
    name,
    what,
    peer: "SQL with json_extract over the same tables, without percentiles",
    rounds: 5,
    rows: 200_000,
    atMost: 1 / 100,
    goalFrom: 10_000_000,
    data,
    sides: {
      ours: ({ shared, rows }) => {
        const collector = new MetricsCollector(toolsFile(shared, rows));
        return asking(
          "perdura",
          () => collector.getBreakdown("tool", { user_id: user, numbers: ["tokens"] }),
          () => collector.close(),
        );
      },
      peer: ({ shared, rows }) => {
        const database = new Database(toolsFile(shared, rows), { readonly: true });
        const figures = database.prepare(
          `SELECT json_extract(metadata, '$.tool'), count(*), avg(success), avg(response_time_ms),
             sum(json_extract(metadata, '$.tokens'))
           FROM interactions LEFT JOIN interaction_metadata ON interaction_id = id
           ${user === undefined ? "" : "WHERE user_id = ?"} GROUP BY 1 ORDER BY 2 DESC`,
        );
        return asking(
          "SQL",
          () => figures.all(...(user === undefined ? [] : [user])),
          () => database.close(),
        );
      },
    },
  };
}

const percent = (part: number): string => `${(100 * part).toFixed(2)} %`;

function errorsOfDurations(path: string): string {
  const errors = Object.entries(sketchErrors(path)).map(([name, error]) => `${name} ${percent(error)}`);
  return `relative errors for measured durations of calls: ${errors.join(", ")}`;
}

function percentilesRow(name: string, what: string, user: string | undefined, atMost: number): Row {
  const chosen = user === undefined ? "" : "AND user_id = @user";
  const parameters = user === undefined ? {} : { user };
  /** The response time of which 95 of 100 are shorter, by sorting all. */
  const sorting = (database: Database.Database) =>
    database
      .prepare(
        `SELECT response_time_ms FROM interactions WHERE response_time_ms IS NOT NULL ${chosen} ORDER BY response_time_ms
         LIMIT 1 OFFSET (SELECT CAST(0.95 * (count(*) - 1) AS INTEGER) FROM interactions WHERE response_time_ms IS NOT NULL ${chosen})`,
      )
      .pluck();
  return {
    name,
    what,
    peer: "SQL that sorts the response times, for one percentile",
    rounds: 5,
    rows: 200_000,
    atMost,
    goalFrom: 10_000_000,
    data,
    sides: {
      ours: ({ shared, directory, rows }) => {
        const path = toolsFile(shared, rows);
        const collector = new MetricsCollector(path);
        const ask = () =>
          user === undefined
            ? collector.getGlobalStats({ percentiles: true })
            : collector.getUserStats(user, { percentiles: true });
        const estimated = ask().p95 ?? Number.NaN;
        const database = new Database(path, { readonly: true });
        const exact = sorting(database).get(parameters) as number;
        database.close();
        const error = Math.abs(estimated / exact - 1);
        // Of few rows, the next time may differ by more.
        if (rows > EXACT_UP_TO && !(error <= RELATIVE_ERROR)) throw new Error(`p95 is ${estimated}, and not ${exact}.`);
        const remarks = [
          `${name}: p95 ${estimated.toFixed(2)} ms, exactly ${exact.toFixed(2)} ms (${percent(error)})`,
          ...(user === undefined ? [errorsOfDurations(join(directory, "durations.db"))] : []),
        ];
        return { ...asking("perdura", ask, () => collector.close()), remarks: () => remarks };
      },
      peer: ({ shared, rows }) => {
        const database = new Database(toolsFile(shared, rows), { readonly: true });
        const p95 = sorting(database);
        return asking(
          "SQL",
          () => p95.get(parameters),
          () => database.close(),
        );
      },
    },
  };
}

/** Rows that the recording rows have before they record. */
const ROWS_BEFORE = 20_000;

const METADATA = { tool: "tool 1", model: "model 2", tokens: 17 };

/** Records rows with metadata in the bare driver, as perdura stores them. */
function bare(path: string, rows: number): Side {
  const database = new Database(path);
  database.pragma(`synchronous = ${SYNCHRONOUS.normal}`);
  const interaction = database.prepare(
    "INSERT INTO interactions (user_id, level, success, response_time_ms) VALUES (?, ?, ?, ?)",
  );
  const metadata = database.prepare("INSERT INTO interaction_metadata VALUES (?, ?)");
  const record = database.transaction((id: string) =>
    metadata.run(interaction.run(id, 3, 1, 120.5).lastInsertRowid, JSON.stringify(METADATA)),
  );
  return {
    name: "bare driver",
    round: () => {
      for (let row = 0; row < rows; row += 1) record(`user-${row % 50}`);
      return rows;
    },
    close: () => void database.close(),
  };
}

const ROWS_A_ROUND = 2000;

/** Breakdowns from the sums of declared keys, and what they cost when rows are recorded. */
export const BREAKDOWN: Row[] = [
  breakdownRow("breakdown", "figures of each of ten tools, of all users", undefined),
  breakdownRow("breakdown-user", "figures of each of ten tools, of one user with a twentieth of all rows", HEAVY_USER),
  percentilesRow("percentiles", "p50, p95 and p99 of all users, with their statistics", undefined, 1 / 100),
  percentilesRow("percentiles-user", "the same of one user with a twentieth of all rows", HEAVY_USER, 1 / 20),
  {
    name: "record-normal-keys",
    what: "record one row with metadata into a database with two declared keys and their sums, durability normal",
    peer: "the bare driver's two prepared inserts in a transaction, into the same tables without triggers",
    rounds: 15,
    atMost: 1.3,
    data: ({ shared }) => void toolsFile(shared, ROWS_BEFORE),
    sides: {
      ours: ({ directory, shared }) => {
        const path = join(directory, "keys.db");
        copyFileSync(toolsFile(shared, ROWS_BEFORE), path);
        const collector = new MetricsCollector(path, { durability: "normal" });
        return {
          name: "perdura",
          round: () => {
            for (let row = 0; row < ROWS_A_ROUND; row += 1)
              collector.recordMetric(`user-${row % 50}`, true, 120.5, METADATA);
            return ROWS_A_ROUND;
          },
          close: () => collector.close(),
        };
      },
      peer: ({ directory, shared }) => {
        const path = join(directory, "bare.db");
        copyFileSync(toolsFile(shared, ROWS_BEFORE), path);
        const database = new Database(path);
        for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all() as {
          name: string;
        }[])
          database.exec(`DROP TRIGGER "${name}"`);
        database.close();
        return bare(path, ROWS_A_ROUND);
      },
    },
  },
];
