import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runWithPauses, watchWriters } from "@perdura/internals/sqlite/pauses.js";
import { installRollup } from "@perdura/internals/metrics/rollup/install.js";
import { makeSums } from "@perdura/internals/metrics/rollup/make_sums.js";
import { type Database, openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { dataFile, typicalUsers } from "../data/interactions.ts";
import type { Side } from "../measure/measure.ts";
import type { Place, Row } from "../row.ts";

const source = ({ shared, rows }: Place): string =>
  dataFile(shared, { layout: "plain", rows, users: typicalUsers(rows) });

/** A round works on a new copy of the rows, without sums. */
function onCopies(place: Place, name: string, fold: (database: Database) => void): Side {
  const path = join(place.directory, `${name.replaceAll(" ", "-")}.db`);
  let database: Database | undefined;
  const close = (): void => {
    database?.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  };
  return {
    name,
    prepare: () => {
      close();
      copyFileSync(source(place), path);
      database = openDatabase(path, { intent: "change" });
    },
    round: () => {
      fold(database as Database);
      return place.rows;
    },
    close,
  };
}

const COUNTS = `count(*), sum(success), count(response_time_ms), total(response_time_ms), 0.0,
  ${[1, 2, 3, 4, 5].map((level) => `sum(level = ${level})`).join(", ")}`;

/** The same tables, filled by one statement each, without the trust of users and the gaps between their days. */
const STATEMENTS = [
  `INSERT INTO perdura_user_days (user_id, day, operations, successes, measured, ms, ms_lost, level_1_count, level_2_count,
     level_3_count, level_4_count, level_5_count, negative, first_id, last_id, trust_add, trust_low, trust_high,
     first_second, last_second)
   SELECT user_id, date(timestamp), ${COUNTS}, sum(response_time_ms < 0), min(id), max(id), 0, 0, 100,
     unixepoch(min(timestamp)) % 86400, unixepoch(max(timestamp)) % 86400
   FROM interactions GROUP BY 1, 2`,
  `INSERT INTO perdura_user_rollup (user_id, operations, successes, measured, ms, ms_lost, level_1_count, level_2_count,
     level_3_count, level_4_count, level_5_count, current_level, first_use, last_use,
     first_day, last_day, longest_gap)
   SELECT user_id, ${COUNTS}, NULL, min(timestamp), max(timestamp), unixepoch(min(timestamp)) / 86400,
     unixepoch(max(timestamp)) / 86400, 0 FROM interactions GROUP BY 1`,
  `INSERT INTO perdura_days (day, operations, successes, measured, ms, ms_lost, level_1_count, level_2_count, level_3_count,
     level_4_count, level_5_count, negative, first_id, last_id)
   SELECT day, sum(operations), sum(successes), sum(measured), total(ms), 0.0, sum(level_1_count), sum(level_2_count),
     sum(level_3_count), sum(level_4_count), sum(level_5_count), sum(negative), min(first_id), max(last_id)
   FROM perdura_user_days GROUP BY 1`,
];

/** The sums of a database that other programs have filled, as `perdura-migrate sums` makes them. */
export const FOLD: Row = {
  name: "fold",
  what: "make the sums of all rows, with pauses for other writers, per row",
  peer: "SQL's INSERT … SELECT … GROUP BY into the same tables, in one transaction",
  rounds: 5,
  rows: 1_000_000,
  atMost: 1.5,
  goalFrom: 1_000_000,
  data: (place) => void source(place),
  sides: {
    ours: (place) =>
      onCopies(place, "perdura", (database) => {
        function* steps(): Generator<void, void> {
          for (const _ of makeSums(database, "level", 5000)) yield;
        }
        runWithPauses(steps(), watchWriters(database));
      }),
    peer: (place) =>
      onCopies(place, "SQL", (database) =>
        database.transaction(() => {
          installRollup(database);
          for (const statement of STATEMENTS) database.exec(statement);
        })(),
      ),
  },
};
