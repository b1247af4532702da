/**
 * Settings that limit the time of a session or its statements. A role or a database may have them; old servers lack
 * some.
 */
const LIMITS = [
  "statement_timeout",
  "idle_in_transaction_session_timeout",
  "transaction_timeout",
  "idle_session_timeout",
] as const;

/**
 * SQL that removes the time limits of the server.
 *
 * @param scope The session, or the transaction.
 * @param condition SQL; if it is not true, nothing is changed.
 */
export function liftTimeLimits(scope: "SESSION" | "LOCAL", condition: string = "true"): string {
  return `SELECT set_config(name, '0', ${scope === "LOCAL"}) FROM unnest(ARRAY['${LIMITS.join("', '")}']) AS name
    WHERE current_setting(name, true) IS NOT NULL AND ${condition}`;
}
