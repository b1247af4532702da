/** Usage per level, with the keys of specification section 2.6. */
export interface LevelCounts {
  /** Number of interactions at level 1. */
  level_1_count: number;
  /** Number of interactions at level 2. */
  level_2_count: number;
  /** Number of interactions at level 3. */
  level_3_count: number;
  /** Number of interactions at level 4. */
  level_4_count: number;
  /** Number of interactions at level 5. */
  level_5_count: number;
}

/** Statistics of one user, with the keys of specification section 2.6. */
export interface UserStats extends LevelCounts {
  /** Number of recorded interactions. */
  total_operations: number;
  /** Fraction of successful interactions, 0 to 1; 0 for a user with none. */
  success_rate: number;
  /**
   * Mean response time in milliseconds over the interactions with a finite response time; 0 without such interactions.
   */
  avg_response_time_ms: number;
  /** Level of the newest interaction (highest id); absent for a user with none. */
  current_level?: number;
  /** Oldest timestamp as text, UTC; null for a user with none. */
  first_use: string | null;
  /** Newest timestamp as text, UTC; null for a user with none. */
  last_use: string | null;
}

/** Statistics over all users, with the keys of specification section 2.7. */
export interface GlobalStats {
  /** Number of users with an interaction. */
  total_users: number;
  /** Number of interactions of all users. */
  total_interactions: number;
  /** Overall fraction of successful interactions, 0 to 1; 0 without interactions. */
  success_rate: number;
}
