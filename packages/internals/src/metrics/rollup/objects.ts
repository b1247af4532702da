import { LEVELS } from "../arguments.ts";

/** The meaning of what is stored; a newer one is left alone. */
export const FORMAT = 1;

/** The lowest id that a row can have. */
export const LOWEST_ID = "-9223372036854775808";

/**
 * One row: up to which id (`watermark`) the interactions are folded, what they add up to over all users, and the schema
 * version of the database while the triggers watched without a gap. A change of the schema changes that version: rows
 * may have been changed while triggers were dropped and created again.
 */
const STATE_TABLE = `CREATE TABLE perdura_rollup (
    format INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    watermark INTEGER NOT NULL,
    operations INTEGER NOT NULL,
    successes INTEGER NOT NULL,
    users INTEGER NOT NULL
)`;

/**
 * Sums of the folded interactions of a user. `ms` is null where a negative response time takes part: a sum with
 * cancellation is only right when it is taken at once. `ms_lost` is what additions to `ms` rounded away. The times have
 * no type, so that they stay what they are.
 */
const USERS_TABLE = `CREATE TABLE perdura_user_rollup (
    user_id TEXT PRIMARY KEY,
    operations INTEGER NOT NULL,
    successes INTEGER NOT NULL,
    measured INTEGER NOT NULL,
    ms REAL,
    ms_lost REAL,
${LEVELS.map((level) => `    level_${level}_count INTEGER NOT NULL,\n`).join("")}    current_level INTEGER,
    first_use,
    last_use
) WITHOUT ROWID`;

/** The users of whom a folded row was changed: their row in `perdura_user_rollup` says nothing. */
const STALE_TABLE = `CREATE TABLE perdura_stale_users (
    user_id TEXT PRIMARY KEY
) WITHOUT ROWID`;

const WATERMARK = "(SELECT watermark FROM perdura_rollup)";

/**
 * Marks users as stale. Not by OR IGNORE or ON CONFLICT: the conflict clause of the statement that fires a trigger (`UPDATE
 * OR FAIL`) holds in the trigger, too.
 */
function markStale(users: string): string {
  return `INSERT INTO perdura_stale_users SELECT user_id FROM (${users}) AS touched
        WHERE user_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM perdura_stale_users AS stale WHERE stale.user_id = touched.user_id);`;
}

/**
 * New rows get an id above the row at the watermark. So the watermark moves down to the next existing row when this
 * row is removed; no row is between the two.
 */
const LOWER_WATERMARK = `UPDATE perdura_rollup SET watermark = coalesce((SELECT max(id) FROM interactions WHERE id < OLD.id), ${LOWEST_ID})
        WHERE watermark = OLD.id;`;

/** The user of the row that REPLACE would remove. */
const REPLACED = "SELECT user_id FROM interactions WHERE id = NEW.id";

/**
 * They name no column but `id` and `user_id`: the level is called differently in each line. All run before the change,
 * when a row that REPLACE removes without a delete trigger can still be seen. Before an insert, SQLite shows the id of a
 * row that gave none as -1; rows that really have this id are looked for by each question.
 */
const INSERT_TRIGGER = `CREATE TRIGGER perdura_rollup_insert BEFORE INSERT ON interactions
    WHEN NEW.id <> -1 AND NEW.id <= ${WATERMARK} BEGIN
    ${markStale(`SELECT NEW.user_id AS user_id UNION ${REPLACED}`)}
END`;

const UPDATE_TRIGGER = `CREATE TRIGGER perdura_rollup_update BEFORE UPDATE ON interactions
    WHEN OLD.id <= ${WATERMARK} OR NEW.id <= ${WATERMARK} BEGIN
    ${markStale(`SELECT OLD.user_id AS user_id UNION SELECT NEW.user_id UNION ${REPLACED}`)}
    ${LOWER_WATERMARK.replace("OLD.id;", "OLD.id AND NEW.id <> OLD.id;")}
END`;

const DELETE_TRIGGER = `CREATE TRIGGER perdura_rollup_delete BEFORE DELETE ON interactions
    WHEN OLD.id <= ${WATERMARK} BEGIN
    ${markStale("SELECT OLD.user_id AS user_id")}
    ${LOWER_WATERMARK}
END`;

/** Every object of the rollup with the SQL that makes it, in the order of creation; SQLite stores it verbatim. */
export const ROLLUP_OBJECTS: ReadonlyMap<string, string> = new Map([
  ["perdura_rollup", STATE_TABLE],
  ["perdura_user_rollup", USERS_TABLE],
  ["perdura_stale_users", STALE_TABLE],
  ["perdura_rollup_insert", INSERT_TRIGGER],
  ["perdura_rollup_update", UPDATE_TRIGGER],
  ["perdura_rollup_delete", DELETE_TRIGGER],
]);
