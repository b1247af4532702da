import type { Names } from "./names.ts";
import { RECORDED_BY } from "./recorded_by.ts";

/**
 * Perdura only adds rows. Whoever changes or removes some makes the sums of their users stale: these are counted anew. A
 * trigger for each row, since one for each statement does not see statements on a partition.
 */
export function staleTriggers(names: Names): string[] {
  const markStale = (row: string): string => `
        IF NOT EXISTS (SELECT 1 FROM ${names.staleUsers} WHERE user_id = ${row}.user_id AND marked_by = ${RECORDED_BY}) THEN
          INSERT INTO ${names.staleUsers} VALUES (${row}.user_id);
        END IF;`;
  const head = "RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS";
  return [
    `CREATE FUNCTION ${names.markStale}() ${head} $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN${markStale("OLD")}
      END IF;
      IF TG_OP <> 'DELETE' THEN${markStale("NEW")}
      END IF;
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER perdura_stale AFTER UPDATE OR DELETE ON ${names.interactions}
      FOR EACH ROW EXECUTE FUNCTION ${names.markStale}()`,
    insertTrigger(names),
    `CREATE FUNCTION ${names.markAllStale}() ${head} $$
    BEGIN
      INSERT INTO ${names.staleUsers} SELECT user_id FROM ${names.userRollup};
      RETURN NULL;
    END $$`,
    `CREATE TRIGGER perdura_stale_all AFTER TRUNCATE ON ${names.interactions}
      FOR EACH STATEMENT EXECUTE FUNCTION ${names.markAllStale}()`,
  ];
}

/**
 * A row that comes with the number of another transaction: an update moved it from another partition, which PostgreSQL does
 * by a delete and an insert, or somebody copied it with all its columns.
 */
export function insertTrigger(names: Names): string {
  return `CREATE TRIGGER perdura_stale_insert AFTER INSERT ON ${names.interactions}
      FOR EACH ROW WHEN (NEW.recorded_by <> ${RECORDED_BY}) EXECUTE FUNCTION ${names.markStale}()`;
}
