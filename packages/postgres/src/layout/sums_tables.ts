import { LEVELS } from "@perdura/internals/metrics/arguments.js";
import type { Names } from "./names.ts";
import { RECORDED_BY } from "./recorded_by.ts";

/** Sums of the rows below the watermark: of each user, and of all in the one row of `perdura_rollup`. */
export function sumsTables(names: Names): string[] {
  return [
    `CREATE TABLE ${names.rollup} (
      watermark bigint NOT NULL,
      cluster bigint NOT NULL,
      operations bigint NOT NULL,
      successes bigint NOT NULL,
      users bigint NOT NULL
    )`,
    firstState(names),
    `CREATE TABLE ${names.userRollup} (
      user_id text COLLATE "C" PRIMARY KEY,
      operations bigint NOT NULL,
      successes bigint NOT NULL,
      measured bigint NOT NULL,
      ms double precision NOT NULL,
      beyond bigint NOT NULL,
      ${LEVELS.map((level) => `level_${level}_count bigint NOT NULL,`).join("\n      ")}
      newest bigint,
      current_level integer,
      first_use text COLLATE "C",
      last_use text COLLATE "C"
    )`,
    // Each transaction marks for itself: a mark of another one may be gone before it is over.
    `CREATE TABLE ${names.staleUsers} (
      user_id text COLLATE "C" NOT NULL,
      marked_by bigint NOT NULL DEFAULT ${RECORDED_BY}
    )`,
    `CREATE INDEX perdura_stale_users_user ON ${names.staleUsers} (user_id, marked_by)`,
  ];
}

/** Nothing is added up yet, in the cluster that this is. */
export function firstState(names: Names): string {
  return `INSERT INTO ${names.rollup} SELECT 0, system_identifier, 0, 0, 0 FROM pg_control_system()`;
}
