import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { type Names, namesIn } from "./names.ts";
import { keepOwnTriggers, mayRead, OWN_TRIGGER } from "./own_rows.ts";
import { copyPrivileges } from "./privileges.ts";
import { recordedBy } from "./recorded_by.ts";
import { alwaysTrigger, placeOf } from "./row_triggers.ts";

/** The tables of sums by the values of declared keys, which are only valid on this server. */
export const sumsOfKeys = (names: Names): string[] => [names.summedKeys, ...keyTablesOfUsers(names)];

/** Tables with values of metadata or ids of users. */
export const keyTablesOfUsers = ({ userKeyDays, keyDays, longNames }: Names): string[] => [
  userKeyDays,
  keyDays,
  longNames,
];

/** The triggers on the table of metadata, with what they run after. */
const METADATA_TRIGGERS = {
  perdura_stale_metadata: "UPDATE OR DELETE",
  perdura_stale_metadata_added: "INSERT",
  perdura_stale_metadata_copied: "INSERT",
  perdura_stale_all_metadata: "TRUNCATE",
};

/** SQL that is true if keys were declared in the schema. */
export const hasKeys = ({ declaredKeys }: Names): string => `to_regclass(${sqlText(declaredKeys)}) IS NOT NULL`;

/**
 * SQL that is true if the role sees all rows of the tables that a breakdown by a declared key is made of; they exist. The
 * function of the trigger sees the rows that the owner sees, which are fewer if policies are forced on the owner.
 */
export function mayUseKeys(names: Names): string {
  const tables = [names.interactionMetadata, names.declaredKeys, ...sumsOfKeys(names)];
  return `${mayRead(tables)}
        AND NOT (SELECT relforcerowsecurity FROM pg_class WHERE oid = to_regclass(${sqlText(names.interactions)}))`;
}

/** SQL that is true if every change of metadata since the sums by key were begun was noticed. */
export function areKeysIntact(names: Names): string {
  const triggers = [
    ...Object.keys(METADATA_TRIGGERS).map((trigger) => [names.interactionMetadata, trigger]),
    ...sumsOfKeys(names).map((table) => [table, OWN_TRIGGER]),
  ];
  const wanted = triggers.map(([table = "", trigger = ""]) => `(to_regclass(${sqlText(table)}), ${sqlText(trigger)})`);
  return `(SELECT count(*) FROM pg_trigger WHERE tgenabled = 'A' AND (tgrelid, tgname) IN (${wanted.join(", ")})) = ${wanted.length}`;
}

/** Figures of interactions with a value: the counts of their buckets (`percentiles.ts` of internals), and for each number how many there are and their sum. */
const VALUE_SUMS = `operations bigint NOT NULL,
      successes bigint NOT NULL,
      ms numeric NOT NULL,
      buckets jsonb NOT NULL,
      counts bigint[] NOT NULL,
      totals numeric[] NOT NULL`;

/** The table of the declared keys. */
export function declaredTable(names: Names): string[] {
  return [
    `CREATE TABLE ${names.declaredKeys} (
      kind text NOT NULL,
      key text COLLATE "C" NOT NULL
    )`,
    // An index refuses long texts, and with it a primary key, which publications need otherwise.
    `CREATE UNIQUE INDEX ON ${names.declaredKeys} (kind, hashtextextended(key, 0))`,
    `ALTER TABLE ${names.declaredKeys} REPLICA IDENTITY FULL`,
    copyPrivileges(names.userRollup, [names.declaredKeys]),
  ];
}

/**
 * The tables of sums that exist once keys are declared, on a cluster next to each shard. Rows below the watermark of a key are in its sums; it is never higher than
 * that of the other sums. `numbers` are the declared numbers that the sums have. `is_summed` is false for a key with too
 * many values, which has no sums.
 *
 * Sums of users have an empty day for rows without a readable time. Sums of all users have in addition the sums of all
 * days, under the day `all`.
 *
 * Sums have a digest in the place of a long name, because the index of a key refuses long texts; `full_name` is the name.
 */
export function keyTables(names: Names, isSpread: boolean): string[] {
  return [
    `CREATE TABLE ${names.summedKeys} (
      key_id integer PRIMARY KEY,
      key text COLLATE "C" NOT NULL,
      numbers text[] COLLATE "C" NOT NULL,
      watermark bigint NOT NULL,
      is_summed boolean NOT NULL
    )`,
    `CREATE TABLE ${names.userKeyDays} (
      key_id integer NOT NULL,
      user_id text COLLATE "C" NOT NULL,
      day text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      ${VALUE_SUMS},
      PRIMARY KEY (key_id, user_id, day, name)
    )`,
    `CREATE TABLE ${names.keyDays} (
      key_id integer NOT NULL,
      day text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      ${VALUE_SUMS},
      PRIMARY KEY (key_id, day, name)
    )`,
    `CREATE TABLE ${names.longNames} (
      name text COLLATE "C" PRIMARY KEY,
      full_name text COLLATE "C" NOT NULL
    )`,
    copyPrivileges(namesIn(names.schemaName).userRollup, sumsOfKeys(names)),
    ...resetKeys(names, isSpread),
  ];
}

/** Statements that remove the triggers from the table of metadata. */
export const dropMetadataTriggers = ({ interactionMetadata }: Names): string[] =>
  Object.keys(METADATA_TRIGGERS).map((trigger) => `DROP TRIGGER IF EXISTS ${trigger} ON ${interactionMetadata}`);

/** Statements that restore the triggers and reset the sums of the declared keys. */
export function resetKeys(names: Names, isSpread: boolean): string[] {
  return [
    ...dropMetadataTriggers(names),
    ...metadataTriggers(names, isSpread),
    ...sumsOfKeys(names).flatMap((table) => keepOwnTriggers(names, table)),
    ...sumsOfKeys(names).map((table) => `DELETE FROM ${table}`),
  ];
}

/**
 * Triggers that mark the users of interactions whose metadata other programs change. Metadata that are recorded together
 * with their interaction mark no user, because no sums contain it yet. For added metadata the trigger runs once for each
 * statement, which costs less; replication runs no such triggers.
 */
function metadataTriggers(names: Names, isSpread: boolean): string[] {
  const mark = (changed: string, row: string): string => {
    const into = (schema: string, metadata: string): string =>
      `INSERT INTO ${schema}.perdura_stale_users${names.ending} (user_id)
            SELECT found.user_id FROM ${metadata} AS changed, LATERAL (
              SELECT user_id FROM ${schema}.interactions${names.ending} WHERE id = changed.interaction_id
                AND recorded_by <> ${recordedBy(names)}${isSpread ? " AND user_id = changed.user_id" : ""} OFFSET 0) AS found
            ON CONFLICT DO NOTHING`;
    return `
        IF place IS DISTINCT FROM to_regnamespace(${sqlText(names.schema)}) THEN
          EXECUTE format(${sqlText(into("%1$s", changed))}, place)${row === "" ? "" : ` USING ${row}`};
        ELSE
          ${into(names.schema, row === "" ? changed : `(SELECT ${row}.*)`)};
        END IF;`;
  };
  const on = (trigger: keyof typeof METADATA_TRIGGERS, how: string): string =>
    `CREATE TRIGGER ${trigger} AFTER ${METADATA_TRIGGERS[trigger]} ON ${names.interactionMetadata} ${how}`;
  const run = `EXECUTE FUNCTION ${names.markMetadataStale}()`;
  return [
    // The plan may be made when there are few rows, and must not read all of them later.
    `CREATE OR REPLACE FUNCTION ${names.markMetadataStale}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
      SET search_path = pg_catalog SET enable_seqscan = off SET jit = off AS ${sqlText(`
      ${placeOf(names, names.interactionMetadata)}
      BEGIN
        IF TG_LEVEL = 'STATEMENT' THEN${mark("added", "")}
          RETURN NULL;
        END IF;
        IF TG_OP <> 'INSERT' THEN${mark("(SELECT ($1).*)", "OLD")}
        END IF;
        IF TG_OP <> 'DELETE' THEN${mark("(SELECT ($1).*)", "NEW")}
        END IF;
        RETURN NULL;
      END`)}`,
    on("perdura_stale_metadata", `FOR EACH ROW ${run}`),
    on("perdura_stale_metadata_added", `REFERENCING NEW TABLE AS added FOR EACH STATEMENT ${run}`),
    on(
      "perdura_stale_metadata_copied",
      `FOR EACH ROW WHEN (current_setting('session_replication_role') = 'replica') ${run}`,
    ),
    on("perdura_stale_all_metadata", `FOR EACH STATEMENT EXECUTE FUNCTION ${names.markAllStale}()`),
    ...Object.keys(METADATA_TRIGGERS).map((trigger) => alwaysTrigger(names.interactionMetadata, trigger)),
  ];
}
