import type { CollaborationState } from "perdura/persistence";

/** Returns the state after one more interaction: trust changes by 0.1, and the level rises by one for each 0.2. */
export function trusted(before: CollaborationState, success: boolean): CollaborationState {
  const tenths = Math.round(before.trust_level * 10) + (success ? 1 : -1);
  const trust_level = Math.min(Math.max(tenths, 0), 10) / 10;
  const now = new Date().toISOString().slice(0, 19);
  return {
    ...before,
    trust_level,
    current_level: Math.max(1, Math.ceil(trust_level * 5)),
    interaction_count: (before.interaction_count ?? 0) + 1,
    success_count: (before.success_count ?? 0) + (success ? 1 : 0),
    failure_count: (before.failure_count ?? 0) + (success ? 0 : 1),
    last_interaction: now,
    created_at: before.created_at ?? now,
  };
}
