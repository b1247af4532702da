import type { Mutation } from "./mutants/mutations.ts";

/** A different but legal implementation: a line of perdura with one different habit. It must pass every must. */
export interface Tolerance {
  /** Completes the sentence "an implementation that …". */
  name: string;
  /** Open questions that it answers differently from our rulings. */
  choices: Record<string, string>;
  /** The only line that can have the habit. */
  line?: "perdura-15" | "perdura-16";
  /** Cases of the level should that it fails. */
  misses?: readonly string[];
  mutation: Mutation;
}

/** The fields of section 2.8. */
export const STATE_FIELDS: readonly string[] = [
  "user_id",
  "trust_level",
  "current_level",
  "target_level",
  "interaction_count",
  "success_count",
  "failure_count",
  "last_interaction",
  "created_at",
];
