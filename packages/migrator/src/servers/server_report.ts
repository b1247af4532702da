/** A counter that would give out numbers that are taken. */
export interface CounterBehind {
  table: string;
  column: string;
  /** The last number that it gave out. */
  last: string;
  /** The highest number in the table. */
  highest: string;
}

/** What was found in one schema of a server. */
export interface ServerReport {
  /** The address, without a password. */
  place: string;
  schema: string;
  /** `in_use`: others held a lock for longer than the busy time-out. */
  status: "verified" | "differs" | "failed" | "in_use";
  /** Why it could not be compared; otherwise null. */
  reason: string | null;
  /** Users that have rows or sums; null where there are no sums to compare. */
  users: number | null;
  /** The first users whose statistics are not those of their rows, and how many there are. */
  wrong_users: string[];
  wrong_user_count: number;
  /** True where the numbers of all users together are wrong. */
  wrong_totals: boolean;
  /** Patterns that version 16 reads. */
  patterns: number;
  /** The first patterns that it cannot read, and how many there are. */
  invalid_patterns: { pattern: string; reason: string }[];
  invalid_pattern_count: number;
  counters_behind: CounterBehind[];
  /** A command that makes the statistics right; null where they are. */
  recount: string | null;
}

/** What `verifyServers` found. */
export interface ServersReport {
  format: "perdura-servers-report";
  format_version: 1;
  command: "verify";
  tool_version: string;
  started_at: string;
  finished_at: string;
  exit_code: 0 | 1 | 4 | 5 | 130;
  summary: string;
  servers: ServerReport[];
}
