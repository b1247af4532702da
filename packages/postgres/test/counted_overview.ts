import { overviewQueries } from "@perdura/internals/metrics/overview.js";
import type { Pool } from "pg";
import { expect } from "vitest";
import type { OverviewReader } from "../src/metrics/overview_reader.ts";
import { expectCloseMeans } from "./close_means.ts";
import { countedRows } from "./counted_rows.ts";
import { inSqlite } from "./counted_trends.ts";

/** Compares an overview and its users with those that are computed from all rows, without the statements under test. */
export async function expectOverview(ours: OverviewReader, pool: Pool): Promise<void> {
  const { database } = await inSqlite(pool);
  const all = overviewQueries(database, "level").overview();
  database.close();
  const counted = await countedRows(pool);
  // Stable: users with equal numbers keep the order of code points.
  const users = counted.users
    .map((user_id) => ({ user_id, ...counted.user(user_id) }))
    .toSorted((one, other) => other.total_operations - one.total_operations);
  expectCloseMeans([await ours.overview()], [all], "all users");
  expectCloseMeans(await ours.topUsers(100), users, "each user");
  expect((await ours.topUsers(2)).map(({ user_id }) => user_id)).toEqual(users.slice(0, 2).map((user) => user.user_id));
}
