import type { CollaborationState } from "@perdura/v15";

/** Users whose states every program saves. */
export const SHARED_USERS: readonly string[] = ["ada", "../bob", "Ada", "Żółć"];

/** The state that a program saves of a user as its version. */
export function stateOf(user: string, writer: string, version: number): CollaborationState {
  const notes = Array.from({ length: 50 + (version % 50) }, () => `${writer} ${version}`);
  return { user_id: user, trust_level: 0.5, interaction_count: version, writer, notes };
}

/** What is wrong with a state that was loaded; undefined where it is whole. */
export function stateFault(user: string, state: CollaborationState): string | undefined {
  const [writer, version] = [String(state["writer"]), Number(state.interaction_count)];
  const expected = JSON.stringify(stateOf(user, writer, version));
  return JSON.stringify(state) === expected
    ? undefined
    : `the state of ${user} is none that anybody saved: ${JSON.stringify(state).slice(0, 200)}`;
}
