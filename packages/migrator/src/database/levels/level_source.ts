import { isUtf8 } from "node:buffer";
import { hasTable, type Schema } from "@perdura/internals/sqlite/catalog.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
import type { LevelTable } from "../layouts/level_tables.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { nextNumber } from "../record/migration_record.ts";
import { ASSUMED_LEVELS, ASSUMED_LEVELS_TABLE, KEPT_LEVELS_TABLE } from "../record/side_tables.ts";
import { allOf } from "../sql/sql_text.ts";
import { countFrom } from "../sql/count_from.ts";

/** Sources of the levels of a table without levels; the first that has one for a row counts. */
export interface LevelSource {
  /** Levels that were kept when a migration was undone; null without any. */
  kept: KeptLevels | null;
  /** Another table that has levels for some of the rows; null if it is not used. */
  table: LevelTable | null;
  /** A copy of the database that has levels for some of the rows, used instead of such a table; null if it is not used. */
  file: LevelFile | null;
  /** Levels from the states; null if they are not used. */
  users: readonly UserLevel[] | null;
  /** Level of all other rows; null if no row is left, or no level was chosen. */
  otherwise: number | null;
}

/** A copy of a database from before its levels were lost, attached as `levels`. */
export interface LevelFile {
  /** Path that the operator named. */
  path: string;
  /** Checksum of the file, in hexadecimal. */
  sha256: string;
  /** Its table of interactions. */
  table: LevelTable;
}

/** A table whose rows get levels, before the migration or after it. */
export type RowsTable = Pick<MetricsTable, "name" | "names">;

const USER_LEVELS = "temp.perdura_user_levels";
const TABLE_LEVELS = "temp.perdura_table_levels";

/**
 * Creates the temporary tables that {@link levelOf} reads. Called in the transaction of the change, before the
 * expression is used.
 *
 * @param rows The table without levels.
 */
export function prepareLevels(database: Database, source: LevelSource, rows: RowsTable): void {
  const { users } = source;
  const listed = listedLevels(source, rows);
  if (listed !== null) {
    database.exec(`DROP TABLE IF EXISTS ${TABLE_LEVELS}`);
    database.exec(`CREATE TABLE ${TABLE_LEVELS} (id INTEGER PRIMARY KEY, level INTEGER)`);
    database.exec(`INSERT INTO ${TABLE_LEVELS} ${listed}`);
  }
  if (users === null) return;
  database.exec(`DROP TABLE IF EXISTS ${USER_LEVELS}`);
  database.exec(
    `CREATE TABLE ${USER_LEVELS} (user_id TEXT PRIMARY KEY, level INTEGER, file TEXT, sha256 TEXT) WITHOUT ROWID`,
  );
  const insert = database.prepare(`INSERT INTO ${USER_LEVELS} VALUES (?, ?, CAST(? AS TEXT), ?)`);
  for (const { user, level, file, sha256 } of users) insert.run(user, level, textOf(file), sha256);
}

/** SQL for the levels that the other table or the file has for rows of a table; null if neither is used. */
export function listedLevels({ table, file }: Pick<LevelSource, "table" | "file">, rows: RowsTable): string | null {
  if (file !== null) return levelsInTable(file.table, rows, "main", "levels");
  return table === null ? null : levelsInTable(table, rows);
}

/** SQLite converts text to the encoding of the database; a path that is not UTF-8 is passed unchanged. */
function textOf(bytes: Buffer): string | Buffer {
  return isUtf8(bytes) ? bytes.toString("utf8") : bytes;
}

/**
 * SQL for the level of a row, or NULL. {@link prepareLevels} must run before.
 *
 * @param row The alias of a table without levels.
 */
export function levelOf(
  { kept, table, file, users, otherwise }: LevelSource,
  { names }: Pick<RowsTable, "names">,
  row: string,
): string {
  const parts = [
    ...(kept === null
      ? []
      : [`(SELECT k.level FROM main.${kept.table} AS k WHERE k.id = ${row}.id AND ${USABLE_KEPT})`]),
    ...(table === null && file === null ? [] : [`(SELECT l.level FROM ${TABLE_LEVELS} AS l WHERE l.id = ${row}.id)`]),
    ...(users === null
      ? []
      : [
          `(SELECT u.level FROM ${USER_LEVELS} AS u WHERE u.user_id = ${row}.${sqlName(names.user_id)} COLLATE BINARY)`,
        ]),
    otherwise === null ? "NULL" : String(otherwise),
  ];
  return parts.length === 1 ? (parts[0] as string) : `coalesce(${parts.join(", ")})`;
}

/**
 * Records the origin of the levels of a table's rows in `perdura_assumed_levels`: the assumed ones in ranges that
 * contain no row with a kept level, by user if states were used. Must run before the migration itself is recorded, and
 * while the table still has its ids.
 *
 * @param table The table as it is in the database now.
 * @param idOffset Difference between an id in `interactions` and that of the table.
 */
export function recordLevels(
  database: Database,
  source: LevelSource,
  { name: table, names }: RowsTable,
  idOffset = 0,
): void {
  const number = nextNumber(database);
  database.exec(ASSUMED_LEVELS.create);
  const into = `INSERT INTO main.${ASSUMED_LEVELS_TABLE} (number, user_id, first_id, last_id, rows, level, source, state_file, state_sha256)`;
  const range = `min(e.id) + ${idOffset}, max(e.id) + ${idOffset}, count(*)`;
  const { kept, users, otherwise } = source;
  const origin =
    source.file !== null
      ? `'file', ${sqlText(source.file.path)}, ${sqlText(source.file.sha256)}`
      : source.table !== null
        ? `'table', ${sqlText(source.table.name)}, NULL`
        : null;
  if (origin !== null)
    database.exec(
      `${into} SELECT ${number}, NULL, ${range}, l.level, ${origin} FROM main.${sqlName(table)} AS e JOIN ${TABLE_LEVELS} AS l ON l.id = e.id ${kept === null ? "" : `WHERE NOT EXISTS (SELECT 1 FROM main.${kept.table} AS k WHERE k.id = e.id AND ${USABLE_KEPT}) `}GROUP BY l.level ORDER BY l.level`,
    );
  if (kept !== null)
    database.exec(
      `${into} SELECT ${number}, NULL, ${range}, k.level, 'kept', NULL, NULL FROM main.${sqlName(table)} AS e JOIN main.${kept.table} AS k ON k.id = e.id AND ${USABLE_KEPT} GROUP BY k.level ORDER BY k.level`,
    );
  const state =
    users === null
      ? { columns: `${otherwise}, 'option', NULL, NULL`, join: "", user: "NULL", by: "e.run" }
      : {
          columns: `ifnull(u.level, ${otherwise}), iif(u.level IS NULL, 'option', 'state'), u.file, u.sha256`,
          join: `LEFT JOIN ${USER_LEVELS} AS u ON u.user_id = e.user COLLATE BINARY`,
          user: "e.user",
          by: "e.run, e.user COLLATE BINARY",
        };
  database.exec(
    `${into} SELECT ${number}, ${state.user}, ${range}, ${state.columns} FROM ${rowsWithoutLevel(source, { name: table, names })} AS e ${state.join} GROUP BY ${state.by} ORDER BY 3, 4`,
  );
}

/**
 * Rows with neither a kept level nor one of another table; `run` increases with every row that has one, so it separates
 * the ranges between them.
 */
function rowsWithoutLevel({ kept, table, file }: LevelSource, { name, names }: RowsTable): string {
  const from = `main.${sqlName(name)} AS r`;
  const user = `r.${sqlName(names.user_id)} AS user`;
  const own = [
    ...(kept === null ? [] : [{ alias: "k", join: `main.${kept.table} AS k ON k.id = r.id AND ${USABLE_KEPT}` }]),
    ...(table === null && file === null ? [] : [{ alias: "l", join: `${TABLE_LEVELS} AS l ON l.id = r.id` }]),
  ];
  if (own.length === 0) return `(SELECT r.id, ${user}, 0 AS run FROM ${from})`;
  const has = own.map(({ alias }) => `${alias}.id`);
  const first = has.length === 1 ? has[0] : `coalesce(${has.join(", ")})`;
  return `(SELECT * FROM (SELECT r.id, ${user}, ${first} AS own, count(${first}) OVER (ORDER BY r.id) AS run FROM ${from} ${own.map(({ join }) => `LEFT JOIN ${join}`).join(" ")}) WHERE own IS NULL)`;
}

/** Levels that were kept when a migration was undone, for existing rows. */
export interface KeptLevels {
  table: string;
  /** Number of rows for each level. */
  rows: { level: number; rows: number; users: number }[];
  /** Number of kept levels for no row: the row was deleted, or the level is outside 1 to 5. */
  rest: number;
}

/** SQL over the alias `k` that is true for a kept level that version 16 can hold. */
export const USABLE_KEPT = "typeof(k.level) = 'integer' AND k.level BETWEEN 1 AND 5";

/** True if the table exists; one of that name with other columns belongs to another program. */
export function hasKeptLevels(database: Database, schema: "main" | "backup" = "main"): boolean {
  if (!hasTable(database, KEPT_LEVELS_TABLE, schema)) return false;
  const columns = database
    .prepare(`SELECT group_concat(name || ' ' || type || ' ' || pk) FROM pragma_table_xinfo('${KEPT_LEVELS_TABLE}', ?)`)
    .pluck()
    .get(schema);
  return columns === "id INTEGER 1,level  0";
}

/**
 * The kept levels for the rows of a table; null without any.
 *
 * @param where SQL over the alias `e`: the rows that stay in the table.
 */
export function keptLevels(database: Database, { name, names }: RowsTable, where: string): KeptLevels | null {
  if (!hasKeptLevels(database)) return null;
  const rows = database
    .prepare(
      `SELECT k.level, count(*) AS rows, count(DISTINCT e.${sqlName(names.user_id)} COLLATE BINARY) AS users FROM main.${KEPT_LEVELS_TABLE} AS k JOIN main.${sqlName(name)} AS e ON e.id = k.id WHERE ${USABLE_KEPT} AND ${where} GROUP BY k.level ORDER BY k.level`,
    )
    .all() as KeptLevels["rows"];
  const all = countFrom(database, `main.${KEPT_LEVELS_TABLE}`);
  return { table: KEPT_LEVELS_TABLE, rows, rest: all - rows.reduce((sum, one) => sum + one.rows, 0) };
}

/** Deletes the kept levels that rows got, and the table with the last of them. */
export function dropUsedKept(database: Database, { table }: KeptLevels, rowsTable: string): void {
  database.exec(
    `DELETE FROM main.${table} AS k WHERE ${USABLE_KEPT} AND k.id IN (SELECT id FROM main.${sqlName(rowsTable)})`,
  );
  if (database.prepare(`SELECT 1 FROM main.${table}`).get() === undefined) database.exec(`DROP TABLE main.${table}`);
}

/** SQL that is true if the rows `t` and `e` agree in all common columns of metrics tables that the other table has. */
export function isSameRow({ names }: LevelTable, rows: RowsTable): string {
  const common = (["user_id", "success", "response_time_ms", "timestamp"] as const).filter(
    (name) => names[name] !== "",
  );
  return allOf(common.map((name) => `t.${sqlName(names[name])} IS e.${sqlName(rows.names[name])} COLLATE BINARY`));
}

/**
 * SQL for the ids of rows without a level, with the level that another table has for each: for the row with the same id
 * and the same values. If that table has several such rows, their levels have to agree.
 *
 * @param rows The table without levels.
 * @param own The database of the table with levels.
 */
export function levelsInTable(
  table: LevelTable,
  rows: RowsTable,
  schema: Schema = "main",
  own: Schema = schema,
): string {
  const level = `t.${sqlName(table.names.level)}`;
  return `SELECT e.id AS id, min(${level}) AS level FROM ${own}.${sqlName(table.name)} AS t JOIN ${schema}.${sqlName(rows.name)} AS e ON e.id = t.id
    WHERE ${isSameRow(table, rows)} AND typeof(${level}) = 'integer' AND ${level} BETWEEN 1 AND 5 GROUP BY e.id HAVING min(${level}) = max(${level})`;
}

/** The level in the collaboration state of a user. */
export interface UserLevel {
  user: string;
  level: number;
  /** Path of the state file, or of the archive followed by the name in it. */
  file: Buffer;
  /** Checksum of the state file, in hexadecimal. */
  sha256: string;
}

/** The current levels in collaboration states. */
export interface UserLevels {
  /** Keyed by user id. */
  levels: Map<string, UserLevel>;
  /** Users with two states of different levels; they have none in `levels`. */
  contradictory: Set<string>;
  /** Number of states that were read. */
  states: number;
}

/** Reads the levels at the first call; later calls return the same result. */
export type ReadLevels = () => UserLevels;

/** Returns no levels, for runs without states. */
export const noUserLevels: ReadLevels = () => ({ levels: new Map(), contradictory: new Set(), states: 0 });
