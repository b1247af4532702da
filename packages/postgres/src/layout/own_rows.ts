import { type Names, quoteText } from "./names.ts";
import { parts, ROW_TRIGGERS } from "./row_triggers.ts";
import { tableId } from "./sums_tables.ts";

const TRIGGER = "perdura_keep_own";

/** Tables whose rows are about this server. */
const ownTables = (names: Names): string[] => [names.meta, names.rollup, names.userRollup, names.staleUsers];

/**
 * Keeps the rows of this server where all tables are replicated: the sums and the version of the other one are not those of
 * these tables. Marks that a trigger sets while rows are replicated are this server's own.
 */
export function keepOwnRows(names: Names): string[] {
  const head = "RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS";
  return [
    `CREATE OR REPLACE FUNCTION ${names.keepOwn}() ${head} ${quoteText(`
      BEGIN
        IF current_setting('session_replication_role') = 'replica' AND pg_trigger_depth() = 1 THEN
          RETURN NULL;
        ELSIF TG_OP = 'DELETE' THEN
          RETURN OLD;
        END IF;
        RETURN NEW;
      END`)}`,
    ...ownTables(names).flatMap((table) => [
      `DROP TRIGGER IF EXISTS ${TRIGGER} ON ${table}`,
      `CREATE TRIGGER ${TRIGGER} BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW
        EXECUTE FUNCTION ${names.keepOwn}()`,
      `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${TRIGGER}`,
    ]),
    countedTable(names),
  ];
}

/**
 * A function for the number of the table of which the sums are, or NULL where they cannot be trusted: a trigger is missing,
 * or was switched off since they were made.
 */
function countedTable(names: Names): string {
  const own = ownTables(names);
  const triggers = [...ROW_TRIGGERS, TRIGGER].map(quoteText).join(", ");
  return `CREATE OR REPLACE FUNCTION ${names.countedTable}() RETURNS bigint LANGUAGE plpgsql STABLE SET search_path = pg_catalog AS ${quoteText(
    `
    BEGIN
      IF (SELECT count(*) FILTER (WHERE tgenabled = 'A') <
            ${ROW_TRIGGERS.length} * (count(DISTINCT part) - ${own.length}) + ${own.length}
          FROM (${parts(names)}${own.map((table) => ` UNION ALL SELECT ${quoteText(table)}::regclass`).join("")}) AS parts (part)
          LEFT JOIN pg_trigger ON tgrelid = part AND tgname IN (${triggers})) THEN
        RETURN NULL;
      END IF;
      RETURN ${tableId(names)};
    END`,
  )}`;
}
