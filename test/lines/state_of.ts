import type { CollaborationState } from "@perdura/v15";

/** A state with all fields of the specification. */
export const stateOf = (userId: string): CollaborationState => ({
  user_id: userId,
  trust_level: 0.75,
  current_level: 2,
  target_level: 4,
  interaction_count: 9,
  success_count: 7,
  failure_count: 2,
  last_interaction: "2026-01-02T03:04:05.123456",
  created_at: "2025-01-15T10:30:00",
});
