/** Names of the tables and functions in a schema; they include the schema, so that no `search_path` is needed. */
export interface Names {
  /** The schema's name without quotes. All other names are quoted. */
  schemaName: string;
  schema: string;
  meta: string;
  keepOwn: string;
  patterns: string;
  patternUsage: string;
  interactions: string;
  interactionMetadata: string;
  rollup: string;
  userRollup: string;
  userDays: string;
  days: string;
  staleUsers: string;
  idempotencyKeys: string;
  ownNumber: string;
  markStale: string;
  markAllStale: string;
  sumsValid: string;
  /** Name of `sumsValid` in version 2 of the tables. */
  formerSumsValid: string;
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
}

export function namesIn(schema: string): Names {
  const quoted = quoteName(schema);
  const within = (name: string): string => `${quoted}.${name}`;
  return {
    schemaName: schema,
    schema: quoted,
    meta: within("perdura_meta"),
    keepOwn: within("perdura_keep_own"),
    patterns: within("patterns"),
    patternUsage: within("pattern_usage"),
    interactions: within("interactions"),
    interactionMetadata: within("interaction_metadata"),
    rollup: within("perdura_rollup"),
    userRollup: within("perdura_user_rollup"),
    userDays: within("perdura_user_days"),
    days: within("perdura_days"),
    staleUsers: within("perdura_stale_users"),
    idempotencyKeys: within("perdura_idempotency_keys"),
    ownNumber: within("perdura_own_number"),
    markStale: within("perdura_mark_stale"),
    markAllStale: within("perdura_mark_all_stale"),
    sumsValid: within("perdura_sums_valid"),
    formerSumsValid: within("perdura_notices_changes"),
    currentLevel: within("perdura_current_level"),
    userSums: within("perdura_user_sums"),
    globalSums: within("perdura_global_sums"),
    allUsers: within("perdura_all_users"),
    moment: within("perdura_moment"),
    day: within("perdura_day"),
    period: within("perdura_period"),
    trust: within("perdura_trust"),
    userTrend: within("perdura_user_trend"),
    globalTrend: within("perdura_global_trend"),
  };
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text for SQL. PostgreSQL reads backslashes literally (`standard_conforming_strings`). */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
