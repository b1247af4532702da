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
  staleUsers: string;
  idempotencyKeys: string;
  ownNumber: string;
  markStale: string;
  markAllStale: string;
  noticesChanges: string;
  currentLevel: string;
  userSums: string;
  globalSums: string;
  allUsers: string;
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
    staleUsers: within("perdura_stale_users"),
    idempotencyKeys: within("perdura_idempotency_keys"),
    ownNumber: within("perdura_own_number"),
    markStale: within("perdura_mark_stale"),
    markAllStale: within("perdura_mark_all_stale"),
    noticesChanges: within("perdura_notices_changes"),
    currentLevel: within("perdura_current_level"),
    userSums: within("perdura_user_sums"),
    globalSums: within("perdura_global_sums"),
    allUsers: within("perdura_all_users"),
  };
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text for SQL. PostgreSQL reads backslashes literally (`standard_conforming_strings`). */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
