/**
 * The arguments of all operations, with the types that the specification gives them. Which are there depends on the
 * operation; a case may send other types on purpose, and the implementation has to notice.
 */
export interface Args {
  patterns?: { agent_id: string }[];
  agent_contributions?: Record<string, string[]>;
  filepath: string;
  db_path: string;
  mode?: "merge" | "replace";
  pattern_id: string;
  agent_id: string;
  user_id: string;
  empathy_level: number;
  level: number;
  success: boolean;
  response_time_ms: number;
  metadata?: never;
  state_dir: string;
  state: never;
  config: never;
  /** Name of a kept library. */
  library: string;
  name: string;
  module?: string;
  /** A database or directory of before 16. */
  path: string;
}
