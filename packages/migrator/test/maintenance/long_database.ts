import { join } from "node:path";
import { addRows, DOCUMENTED_15, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { freshFolder } from "../support/folder.ts";

/** Enough rows for many steps. */
export const ROWS = 60_000;

/** A database of version 15 with rows of three users, `u1` to `u3`, and no sums. */
export function longDatabase(rows: number = ROWS): string {
  const path = join(freshFolder(), "metrics.db");
  makeDatabase(path, DOCUMENTED_15);
  addRows(path, "interactions", rows);
  return path;
}

/** Number of interactions in the sums. */
export function summed(path: string): number {
  const [tables] = query(path, "SELECT count(*) FROM sqlite_schema WHERE name = 'perdura_rollup'") as [[bigint]];
  return tables[0] === 0n ? 0 : Number(query<[bigint]>(path, "SELECT operations FROM perdura_rollup").flat()[0]);
}
