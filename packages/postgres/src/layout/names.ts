import { sqlName, sqlText } from "@perdura/internals/text/quoted_sql.js";
/** Names of the tables and functions in a schema; they include the schema, so that no `search_path` is needed. */
export interface Names {
  /** The schema's name without quotes. All other names are quoted. */
  schemaName: string;
  schema: string;
  meta: string;
  keepOwn: string;
  leftOut: string;
  patterns: string;
  patternUsage: string;
  interactions: string;
  interactionMetadata: string;
  rollup: string;
  userRollup: string;
  userDays: string;
  days: string;
  staleUsers: string;
  /** This and the following five names are used if keys of metadata are declared. */
  declaredKeys: string;
  summedKeys: string;
  userKeyDays: string;
  keyDays: string;
  longNames: string;
  markMetadataStale: string;
  idempotencyKeys: string;
  ownNumber: string;
  markStale: string;
  markAllStale: string;
  sumsValid: string;
  currentLevel: string;
  userSums: string;
  globalSums: string;
  allUsers: string;
  moment: string;
  day: string;
  period: string;
  trust: string;
  userTrend: string;
  globalTrend: string;
  userBetween: string;
  globalBetween: string;
  /** This and the following names are used for distributed tables only. */
  fold: string;
  recount: string;
  overview: string;
  topUsers: string;
  shards: string;
  atShard: string;
  atAllShards: string;
  currentLevels: string;
  levelsAtShard: string;
  addRows: string;
  makeSums: string;
  dropLeftSums: string;
  /** Ending of the names of everything that a shard has of its own; empty in all other names. */
  ending: string;
  /** The tables of sums that questions read: those of one server, those of shards, or none. */
  sums: "server" | "shards" | "none";
}

export function namesIn(schema: string): Names {
  return namesWith(schema);
}

/**
 * Names with those of functions that answer from the rows. In the place of each table of sums is an empty set with its
 * columns, for which a role needs no privileges.
 */
export function namesWithoutSums(schema: string): Names {
  const names = namesWith(schema, { questions: "_of_rows" });
  const none = (table: string): string => `unnest(NULL::${table}[])`;
  return {
    ...names,
    currentLevel: `${names.schema}.perdura_current_level_of_rows`,
    rollup: none(names.rollup),
    userRollup: none(names.userRollup),
    userDays: none(names.userDays),
    // Workers of a cluster know the type of this table, which has the same columns and more.
    days: none(names.userDays),
    staleUsers: none(names.staleUsers),
    sums: "none",
  };
}

/** Names of one shard of `interactions`, of its metadata, and of its sums and functions, for {@link asPattern}. */
export function namesOfShard(schema: string): Names {
  const names = namesWith(schema, { tables: `_${SHARD}`, questions: `_${SHARD}` });
  return { ...names, interactionMetadata: `${names.schema}.interaction_metadata_${METADATA_SHARD}` };
}

/** A text that is in no schema's name, because a name cannot contain NUL. */
const SHARD = "\0shard\0";
const METADATA_SHARD = "\0metadata shard\0";
const FIRST_NUMBER = "\0first number\0";

/** SQL for the number that is added to the numbers of transactions in the rows of a shard. */
export const FIRST_NUMBER_OF_SHARD: string = `${FIRST_NUMBER}::bigint`;

/**
 * Makes SQL with names of a shard a pattern for `format`; its arguments are the shard, its first number, and the shard of
 * its metadata.
 */
export function asPattern(sql: string): string {
  const escaped = sql.replaceAll("%", "%%");
  return escaped.replaceAll(SHARD, "%1$s").replaceAll(FIRST_NUMBER, "%2$s").replaceAll(METADATA_SHARD, "%3$s");
}

function namesWith(schema: string, { tables = "", questions = "" } = {}): Names {
  const quoted = sqlName(schema);
  const within = (name: string): string => `${quoted}.${name}`;
  const own = (name: string): string => within(`${name}${tables}`);
  const question = (name: string): string => within(`${name}${questions}`);
  return {
    schemaName: schema,
    schema: quoted,
    meta: within("perdura_meta"),
    keepOwn: own("perdura_keep_own"),
    leftOut: within("perdura_left_out"),
    patterns: within("patterns"),
    patternUsage: within("pattern_usage"),
    interactions: own("interactions"),
    interactionMetadata: own("interaction_metadata"),
    rollup: own("perdura_rollup"),
    userRollup: own("perdura_user_rollup"),
    userDays: own("perdura_user_days"),
    days: own("perdura_days"),
    staleUsers: own("perdura_stale_users"),
    declaredKeys: within("perdura_declared_keys"),
    summedKeys: own("perdura_summed_keys"),
    userKeyDays: own("perdura_user_key_days"),
    keyDays: own("perdura_key_days"),
    longNames: own("perdura_long_names"),
    markMetadataStale: own("perdura_mark_metadata_stale"),
    idempotencyKeys: within("perdura_idempotency_keys"),
    ownNumber: own("perdura_own_number"),
    markStale: own("perdura_mark_stale"),
    markAllStale: own("perdura_mark_all_stale"),
    sumsValid: own("perdura_sums_valid"),
    currentLevel: own("perdura_current_level"),
    userSums: question("perdura_user_sums"),
    globalSums: question("perdura_global_sums"),
    allUsers: question("perdura_all_users"),
    moment: within("perdura_moment"),
    day: within("perdura_day"),
    period: within("perdura_period"),
    trust: within("perdura_trust"),
    userTrend: question("perdura_user_trend"),
    globalTrend: question("perdura_global_trend"),
    userBetween: question("perdura_user_between"),
    globalBetween: question("perdura_global_between"),
    fold: own("perdura_fold"),
    recount: own("perdura_recount"),
    overview: own("perdura_overview"),
    topUsers: own("perdura_top_users"),
    shards: within("perdura_shards"),
    atShard: within("perdura_at_shard"),
    atAllShards: within("perdura_at_all_shards"),
    currentLevels: within("perdura_current_levels"),
    levelsAtShard: within("perdura_levels_at_shard"),
    addRows: within("perdura_add_rows"),
    makeSums: within("perdura_make_sums"),
    dropLeftSums: within("perdura_drop_left_sums"),
    ending: tables,
    sums: questions === "" ? "server" : "shards",
  };
}

/** SQL for the sequence of the ids of interactions. */
export function counterOf(names: Names): string {
  return `pg_get_serial_sequence(${sqlText(names.interactions)}, 'id')::regclass`;
}
