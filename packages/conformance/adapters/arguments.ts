/**
 * The arguments of all operations, with their types in the specification. Each operation has some of them; a case may
 * send other types on purpose, which the implementation must refuse.
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
  bucket?: "hour" | "day" | "week" | "month";
  since?: string;
  until?: string;
  trust?: { initial?: number; gain?: number; loss?: number };
  state_dir: string;
  state: never;
  config: never;
  /** Name of a kept library. */
  library: string;
  name: string;
  module?: string;
  /** A pre-16 database or directory. */
  path: string;
}
