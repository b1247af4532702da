/** One interaction whose values have been checked. `level` null means the user's current level, else 1. */
export interface CheckedInteraction {
  userId: string;
  level: number | null;
  success: boolean;
  responseTimeMs: number;
  metadata: string | null;
}
