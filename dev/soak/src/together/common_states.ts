import type { CollaborationState } from "@perdura/v15";

/** Users whose states all programs save. */
export const SHARED_USERS: readonly string[] = ["ada", "../bob", "Ada", "Żółć"];

/** State of a user for a version by a program. */
export function stateOf(user: string, writer: string, version: number): CollaborationState {
  const notes = Array.from({ length: 50 + (version % 50) }, () => `${writer} ${version}`);
  return { user_id: user, trust_level: 0.5, interaction_count: version, writer, notes };
}

/** Fault of a loaded state; undefined if it is intact. */
export function stateFault(user: string, state: CollaborationState): string | undefined {
  const [writer, version] = [String(state["writer"]), Number(state.interaction_count)];
  const expected = JSON.stringify(stateOf(user, writer, version));
  return JSON.stringify(state) === expected
    ? undefined
    : `the state of ${user} was never saved: ${JSON.stringify(state).slice(0, 200)}`;
}
