import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Names } from "./names.ts";
import { recordedBy } from "./recorded_by.ts";

/** The triggers on `interactions` and on each partition. */
export const ROW_TRIGGERS: readonly string[] = [
  "perdura_number",
  "perdura_number_kept",
  "perdura_stale",
  "perdura_stale_all",
];

/**
 * Perdura only adds rows. These triggers keep the statistics correct if another program changes rows in any way:
 *
 * - Every row gets the number of the transaction that wrote it on this server, even if it has another number because
 *   of replication, COPY, or a move from another partition.
 * - Changing or removing rows marks their users as stale, so that these users are counted again. The triggers run for
 *   each row: a statement trigger does not see statements on a partition, and replication does not run it.
 *
 * - Removing a row removes its metadata, also where foreign keys do not apply.
 *
 * They are `ENABLE ALWAYS`, because replication, and programs that set `session_replication_role`, run no other
 * triggers. This also shows if they were disabled: `ENABLE TRIGGER` sets another state, which a question notices.
 */
export function rowTriggers(names: Names): string[] {
  const head = "RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS";
  // A role that changes rows needs no privileges for the marks.
  const asOwner = head.replace(" AS", " SECURITY DEFINER AS");
  const markStale = (row: string): string => `
        IF place IS DISTINCT FROM to_regnamespace(${sqlText(names.schema)}) THEN
          EXECUTE format('INSERT INTO %s.perdura_stale_users${names.ending} (user_id) VALUES ($1) ON CONFLICT DO NOTHING', place) USING ${row}.user_id;
        ELSIF NOT EXISTS (SELECT 1 FROM ${names.staleUsers} WHERE user_id = ${row}.user_id AND marked_by = ${recordedBy(names)}) THEN
          INSERT INTO ${names.staleUsers} VALUES (${row}.user_id);
        END IF;`;
  return [
    `CREATE OR REPLACE FUNCTION ${names.ownNumber}() ${head} ${sqlText(`
      BEGIN
        NEW.recorded_by := ${recordedBy(names)};
        RETURN NEW;
      END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.markStale}() ${asOwner} ${sqlText(`
      ${placeOf(names, names.interactions)}
      BEGIN${markStale("OLD")}
        IF TG_OP = 'UPDATE' THEN${markStale("NEW")}
        END IF;${metadataToo(names)}
        RETURN NULL;
      END`)}`,
    `CREATE OR REPLACE FUNCTION ${names.markAllStale}() ${asOwner} ${sqlText(`
      ${placeOf(names, names.interactions)}
      BEGIN
        IF place IS DISTINCT FROM to_regnamespace(${sqlText(names.schema)}) THEN
          EXECUTE format('INSERT INTO %1$s.perdura_stale_users${names.ending} SELECT user_id FROM %1$s.perdura_user_rollup${names.ending} ON CONFLICT DO NOTHING', place);
        ELSE
          INSERT INTO ${names.staleUsers} SELECT user_id FROM ${names.userRollup} ON CONFLICT DO NOTHING;
        END IF;
        RETURN NULL;
      END`)}`,
    `CREATE TRIGGER perdura_number BEFORE INSERT ON ${names.interactions} FOR EACH ROW
      WHEN (NEW.recorded_by IS DISTINCT FROM ${recordedBy(names)}) EXECUTE FUNCTION ${names.ownNumber}()`,
    `CREATE TRIGGER perdura_number_kept BEFORE UPDATE ON ${names.interactions} FOR EACH ROW
      WHEN (NEW.recorded_by IS DISTINCT FROM OLD.recorded_by) EXECUTE FUNCTION ${names.ownNumber}()`,
    `CREATE TRIGGER perdura_stale AFTER UPDATE OR DELETE ON ${names.interactions} FOR EACH ROW
      EXECUTE FUNCTION ${names.markStale}()`,
    alsoOnPartitions(names),
  ];
}

/**
 * A replica runs no foreign keys, which remove the metadata of a removed row otherwise. A row that moves to another
 * partition is removed there, but exists with the same id. In a cluster, the shard of the metadata has another number.
 */
function metadataToo({ ending }: Names): string {
  const isReplica = "TG_OP = 'DELETE' AND current_setting('session_replication_role') = 'replica'";
  if (ending === "")
    return `
        IF ${isReplica} THEN
          EXECUTE format('DELETE FROM %1$s.interaction_metadata WHERE interaction_id = $1
            AND NOT EXISTS (SELECT 1 FROM %1$s.interactions WHERE id = $1)', place) USING OLD.id;
        END IF;`;
  return `
        IF ${isReplica} THEN
          EXECUTE (SELECT format('DELETE FROM %1$s.interaction_metadata_%2$s WHERE interaction_id = $1 AND user_id = $2', place, described.shardid)
            FROM pg_dist_shard AS described JOIN pg_dist_shard AS rows USING (shardminvalue)
            WHERE described.logicalrelid = to_regclass(place || '.interaction_metadata') AND 'interactions_' || rows.shardid = TG_TABLE_NAME)
            USING OLD.id, OLD.user_id;
        END IF;`;
}

/**
 * Declares the schema of a trigger's function, which may have another name than in the text of the function: the trigger
 * writes to the tables of sums next to its function. For the table itself it is found without a look at the catalogs.
 */
export function placeOf({ schema }: Names, table: string): string {
  const here = `to_regnamespace(${sqlText(schema)})`;
  return `DECLARE
        place regnamespace := CASE WHEN TG_RELID = to_regclass(${sqlText(table)}) THEN ${here} ELSE (
          SELECT pronamespace FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
          WHERE tgrelid = TG_RELID AND tgname = TG_NAME) END;`;
}

/** Removes existing triggers. */
export function dropTriggers(names: Names): string {
  const drop = (trigger: string): string => `DROP TRIGGER IF EXISTS ${trigger} ON %s`;
  const onTable = ROW_TRIGGERS.map(
    (trigger) => `EXECUTE format(${sqlText(drop(trigger))}, ${sqlText(names.interactions)});`,
  );
  return `DO ${sqlText(`
    DECLARE
      part regclass;
    BEGIN
      ${onTable.join("\n      ")}
      FOR part IN ${parts(names)} LOOP
        EXECUTE format(${sqlText(drop("perdura_stale_all"))}, part);
      END LOOP;
    END`)}`;
}

/**
 * Creates what partitions do not inherit: statement triggers, because partitions can be truncated one by one, and
 * `ENABLE ALWAYS`.
 */
function alsoOnPartitions(names: Names): string {
  const always = ROW_TRIGGERS.map((trigger) => `ENABLE ALWAYS TRIGGER ${trigger}`).join(", ");
  return `DO ${sqlText(`
    DECLARE
      part regclass;
    BEGIN
      FOR part IN ${parts(names)} LOOP
        EXECUTE format(${sqlText(`CREATE TRIGGER perdura_stale_all AFTER TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION ${names.markAllStale.replaceAll("%", "%%")}()`)}, part);
        EXECUTE format(${sqlText(`ALTER TABLE ONLY %s ${always}`)}, part);
      END LOOP;
    END`)}`;
}

/** A statement that lets a trigger run for every program. */
export const alwaysTrigger = (table: string, trigger: string): string =>
  `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${trigger}`;

/** SQL for the table and its partitions. */
function parts(names: Names): string {
  const table = `${sqlText(names.interactions)}::regclass`;
  return `SELECT ${table} UNION ALL SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = ${table}`;
}
