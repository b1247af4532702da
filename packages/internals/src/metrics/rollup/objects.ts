import { LEVELS } from "../arguments.ts";
import { KEY_TABLES, metadataTriggers } from "../keys/key_objects.ts";
import { LOWEST_ID } from "../schema.ts";

/** Version of the stored content. A rollup with another version is not used and not changed. */
export const FORMAT = 1;

/**
 * One row: the highest folded id (`watermark`), the sums over all users, and the schema version for which the triggers
 * are known to be complete. Each change of the schema changes the version, because rows may have been changed while a
 * trigger was dropped and created again.
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
 * Sums of the folded interactions of a user. `ms` is null if a response time is negative: a sum with cancellation is
 * only correct if all rows are added at once. `ms_lost` is the rounding error of additions to `ms`. The time columns
 * have no type, so that values are stored unchanged. `first_day` and `last_day` are days since 1970, of interactions with
 * a readable time; no two of these days that follow one another are further apart than `longest_gap`.
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
    last_use,
    first_day INTEGER,
    last_day INTEGER,
    longest_gap INTEGER NOT NULL
) WITHOUT ROWID`;

/** Columns of sums of a day. `negative` is the number of negative response times, which `ms` includes. */
const DAY_SUMS = `    operations INTEGER NOT NULL,
    successes INTEGER NOT NULL,
    measured INTEGER NOT NULL,
    negative INTEGER NOT NULL,
    ms REAL,
    ms_lost REAL,
${LEVELS.map((level) => `    level_${level}_count INTEGER NOT NULL,\n`).join("")}    first_id INTEGER NOT NULL,
    last_id INTEGER NOT NULL`;

/**
 * Sums of the folded interactions of a user on a day, UTC; interactions without a readable time are not included. Trust
 * x before the day becomes min(trust_high, max(trust_low, x + trust_add)), in hundredths, with the default figures.
 * `first_second` and `last_second` are the times of the first and last interaction in seconds of the day; null if a
 * timestamp of the day is not spelled as `CURRENT_TIMESTAMP` is.
 */
const USER_DAYS_TABLE = `CREATE TABLE perdura_user_days (
    user_id TEXT NOT NULL,
    day TEXT NOT NULL,
${DAY_SUMS},
    trust_add INTEGER NOT NULL,
    trust_low INTEGER NOT NULL,
    trust_high INTEGER NOT NULL,
    first_second INTEGER,
    last_second INTEGER,
    PRIMARY KEY (user_id, day)
) WITHOUT ROWID`;

/**
 * Sums of the folded interactions of all users on a day. No folded interaction of the day has an id below `first_id` or
 * above `last_id`.
 */
const DAYS_TABLE = `CREATE TABLE perdura_days (
    day TEXT PRIMARY KEY,
${DAY_SUMS}
) WITHOUT ROWID`;

/**
 * Users with changed folded rows: their sums are not valid. They are computed again in pieces: `next_id` is the lowest
 * id that the sums of the user do not contain again; null until the former sums are removed, and after each further
 * change.
 */
const STALE_TABLE = `CREATE TABLE perdura_stale_users (
    user_id TEXT PRIMARY KEY,
    next_id INTEGER
) WITHOUT ROWID`;

const WATERMARK = "(SELECT watermark FROM perdura_rollup)";

/**
 * Marks users as stale. OR IGNORE or ON CONFLICT cannot be used: the conflict clause of the statement that fires a
 * trigger (`UPDATE OR FAIL`) also applies within the trigger. No row can fail here. OR FAIL tells SQLite so, also where a
 * trigger fires another one: it would prepare to undo each row that `recordMany` inserts.
 */
function markStale(users: string): string {
  return `INSERT OR FAIL INTO perdura_stale_users SELECT user_id, NULL FROM (${users}) AS touched
        WHERE user_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM perdura_stale_users AS stale WHERE stale.user_id = touched.user_id);
    UPDATE OR FAIL perdura_stale_users SET next_id = NULL WHERE next_id IS NOT NULL AND user_id IN (${users});`;
}

/**
 * Lowers the watermark to the next existing row when the row at the watermark is removed. New rows get a higher id, and
 * no row is between the two.
 */
const LOWER_WATERMARK = `UPDATE perdura_rollup SET watermark = coalesce((SELECT max(id) FROM interactions WHERE id < OLD.id), ${LOWEST_ID})
        WHERE watermark = OLD.id;
    UPDATE perdura_summed_keys SET watermark = ${WATERMARK} WHERE watermark > ${WATERMARK};`;

/** The user of the row that REPLACE would remove. */
const REPLACED = "SELECT user_id FROM interactions WHERE id = NEW.id";

/**
 * The triggers name only the columns `id` and `user_id`, because the level column differs between the lines. They run
 * before the change, when a row is still visible that REPLACE removes without a delete trigger. Before an insert,
 * SQLite reports the id of a row without a given id as -1; so each question checks whether a row really has this id.
 */
const INSERT_TRIGGER = `CREATE TRIGGER perdura_rollup_insert BEFORE INSERT ON interactions
    WHEN NEW.id <> -1 AND NEW.id <= ${WATERMARK} BEGIN
    ${markStale(`SELECT NEW.user_id AS user_id UNION ${REPLACED}`)}
END`;

const UPDATE_TRIGGER = `CREATE TRIGGER perdura_rollup_update BEFORE UPDATE ON interactions
    WHEN OLD.id <= ${WATERMARK} OR NEW.id <= ${WATERMARK} BEGIN
    ${markStale(`SELECT OLD.user_id AS user_id UNION SELECT NEW.user_id UNION ${REPLACED}`)}
    ${LOWER_WATERMARK.replace("= OLD.id;", "= OLD.id AND NEW.id <> OLD.id;")}
END`;

const DELETE_TRIGGER = `CREATE TRIGGER perdura_rollup_delete BEFORE DELETE ON interactions
    WHEN OLD.id <= ${WATERMARK} BEGIN
    ${markStale("SELECT OLD.user_id AS user_id")}
    ${LOWER_WATERMARK}
END`;

/** The triggers of the table of metadata; they exist only where it exists. */
export const ROLLUP_METADATA_TRIGGERS: ReadonlyMap<string, string> = new Map(metadataTriggers(markStale));

/** Every object of the rollup with its SQL, in the order of creation. SQLite stores the SQL verbatim. */
export const ROLLUP_OBJECTS: ReadonlyMap<string, string> = new Map([
  ["perdura_rollup", STATE_TABLE],
  ["perdura_user_rollup", USERS_TABLE],
  ["perdura_user_days", USER_DAYS_TABLE],
  ["perdura_days", DAYS_TABLE],
  ["perdura_stale_users", STALE_TABLE],
  ...KEY_TABLES,
  ...ROLLUP_METADATA_TRIGGERS,
  ["perdura_rollup_insert", INSERT_TRIGGER],
  ["perdura_rollup_update", UPDATE_TRIGGER],
  ["perdura_rollup_delete", DELETE_TRIGGER],
]);
