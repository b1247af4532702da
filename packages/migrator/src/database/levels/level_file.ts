import { headerOf } from "@perdura/internals/sqlite/database_header.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { HasSettings } from "../../core/options.ts";
import { Stop } from "../../core/stop.ts";
import type { Workers } from "../../io/child/workers.ts";
import { readablePlace } from "../../io/readable_database.ts";
import { useSmallCache } from "../../io/small_cache.ts";
import { interactionsWithLevels, type LevelTable } from "../layouts/level_tables.ts";
import { levelColumns } from "../layouts/table_layouts.ts";
import { sqlNames } from "../sql/sql_text.ts";
import type { LevelFile } from "./level_source.ts";

/** A copy of a database that the operator named as a source of levels. */
export interface NamedLevelFile extends Omit<LevelFile, "table"> {
  /** The file, or a private copy of it that can be read without any write next to it. */
  place: string;
}

/**
 * Prepares to read the copy that the settings name.
 *
 * @param use Gets null if they name none.
 */
export async function withLevelFile<Result>(
  run: HasSettings & Workers,
  use: (file: NamedLevelFile | null) => Promise<Result>,
): Promise<Result> {
  const path = run.settings.missingLevel?.fromFile ?? null;
  if (path === null) return use(null);
  return whileReadable(path, run, async (place) => use({ path, place, sha256: await run.files.hash(path) }));
}

/**
 * Calls a function with a path through which a database can be read without any write next to it.
 *
 * @throws Stop if the file is not a database.
 */
export async function whileReadable<Result>(
  path: string,
  run: HasSettings & Workers,
  use: (place: string) => Promise<Result>,
): Promise<Result> {
  const header = headerOf(path);
  if (header === undefined) throw new Stop("refused", `Cannot read levels from ${path}: not an SQLite database.`);
  const place = await readablePlace(path, !header.isRollback, run.files, run.settings.busyTimeoutMs);
  try {
    return await use(place.path);
  } finally {
    place.remove();
  }
}

/** Attaches the copy to a connection under the name `levels`. It is only read. */
export function attachLevels(database: Database, file: NamedLevelFile | null): void {
  if (file === null) return;
  database.prepare("ATTACH ? AS levels").run(file.place);
  useSmallCache(database, "levels");
}

/** Attaches a table with the columns of the copy's, but without rows, to the replica of a database. */
export function attachEmptyLevels(replica: Database, { table }: LevelFile): void {
  replica.exec(`ATTACH ':memory:' AS levels; CREATE TABLE levels.${sqlName(table.name)} (${sqlNames(table.columns)})`);
}

/**
 * The copy as a source of levels; null without one.
 *
 * @throws Stop if it has no table of interactions with levels.
 */
export function levelFileOf(database: Database, file: NamedLevelFile | null): LevelFile | null {
  if (file === null) return null;
  const table: LevelTable | undefined = interactionsWithLevels(database, "levels");
  if (table === undefined)
    throw new Stop(
      "refused",
      `Cannot read levels from ${file.path}: it has no table with the columns id, user_id, success, response_time_ms, timestamp and ${levelColumns().join(" or ")}. Name a copy from before the levels were lost.`,
    );
  const { path, sha256 } = file;
  return { path, sha256, table };
}
