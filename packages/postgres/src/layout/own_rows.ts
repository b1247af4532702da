import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Names } from "./names.ts";
import { alwaysTrigger, ROW_TRIGGERS } from "./row_triggers.ts";
import { tablesOfSums } from "./sums_tables.ts";

export const OWN_TRIGGER = "perdura_keep_own";

/** Tables whose content is only valid on this server. The version is that of the tables of all shards. */
const ownTables = (names: Names): string[] => [...(names.ending === "" ? [names.meta] : []), ...tablesOfSums(names)];

/**
 * Triggers that discard replicated changes of these tables, for a publication of all tables: the sums and the version
 * of the other server are not valid for the tables of this server. Changes by a trigger during replication are kept,
 * because these are marks of this server.
 */
export function keepOwnRows(names: Names): string[] {
  const head = "RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS";
  return [
    `CREATE OR REPLACE FUNCTION ${names.keepOwn}() ${head} ${sqlText(`
      BEGIN
        IF pg_trigger_depth() = 1 THEN
          RETURN NULL;
        ELSIF TG_OP = 'DELETE' THEN
          RETURN OLD;
        END IF;
        RETURN NEW;
      END`)}`,
    ...ownTables(names).flatMap((table) => keepOwnTriggers(names, table)),
    sumsValid(names),
  ];
}

/** Statements that create the trigger of one table. */
export function keepOwnTriggers(names: Names, table: string): string[] {
  return [
    `DROP TRIGGER IF EXISTS ${OWN_TRIGGER} ON ${table}`,
    `CREATE TRIGGER ${OWN_TRIGGER} BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW
        WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION ${names.keepOwn}()`,
    alwaysTrigger(table, OWN_TRIGGER),
  ];
}

/**
 * SQL that is true if the role may use the sums (docs/rulings.md, row-level security): no policy hides rows of `interactions` from it,
 * and it may read the tables of sums, all of whose rows it sees.
 */
export function mayUseSums(names: Names): string {
  return mayRead([names.interactions, ...tablesOfSums(names)]);
}

/** SQL that is true if the role sees all rows of tables. */
export function mayRead(tables: readonly string[]): string {
  const places = tables.map((table) => `to_regclass(${sqlText(table)})`);
  return `NOT EXISTS (SELECT 1 FROM unnest(ARRAY[${places.join(", ")}]) AS used (place)
          WHERE row_security_active(place) OR NOT has_table_privilege(place, 'SELECT'))`;
}

/**
 * A function that returns true if the role may use the sums, and every change of rows since they were computed was
 * noticed: all triggers exist and are enabled. Each question calls it.
 */
function sumsValid(names: Names): string {
  const regclass = (table: string): string => `${sqlText(table)}::regclass`;
  const tables = [names.interactions, ...ownTables(names)];
  const intact = `tgenabled = 'A' AND tgname IN (${[...ROW_TRIGGERS, OWN_TRIGGER].map(sqlText).join(", ")})`;
  return `CREATE OR REPLACE FUNCTION ${names.sumsValid}() RETURNS boolean LANGUAGE sql STABLE AS ${sqlText(
    `SELECT (SELECT count(*) FROM pg_trigger WHERE tgrelid = ANY (ARRAY[${tables.map(regclass).join(", ")}]) AND ${intact})
          = ${ROW_TRIGGERS.length + tables.length - 1}
        AND ${mayUseSums(names)}
        AND NOT EXISTS (
          SELECT 1 FROM pg_inherits WHERE inhparent = ${regclass(names.interactions)} AND ${ROW_TRIGGERS.length} >
            (SELECT count(*) FROM pg_trigger WHERE tgrelid = inhrelid AND ${intact}))`,
  )}`;
}
