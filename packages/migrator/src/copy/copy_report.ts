import type { Fault } from "./faults.ts";

/** What became of one table. */
export interface CopiedTableReport {
  table: string;
  /** Rows of the source. */
  rows: number;
  /** Rows that the target had already. */
  present: number;
  /** Rows that were copied, or would be. */
  copied: number;
  /** Rows of the target that were made equal to the source (`replace`), or would be. */
  replaced: number;
  /** Rows of the target that the source does not have, and that were removed (`replace`), or would be. */
  removed: number;
  /** Rows of the target above the source's highest id: recorded since. */
  recorded_since: number;
  /** Values that the target cannot hold. */
  faults: number;
  /** Keys of rows that are on both sides and differ, or are on the target only, the first of them. */
  differences: { key: string; columns: string[] }[];
  difference_count: number;
}

/** What `copyData` did. */
export interface CopyReport {
  format: "perdura-copy-report";
  format_version: 1;
  command: "copy";
  dry_run: boolean;
  tool_version: string;
  started_at: string;
  finished_at: string;
  /** Without a password. */
  source: string;
  target: string;
  /** Databases of before 16, of which a private copy was migrated. */
  migrated: string[];
  exit_code: 0 | 1 | 3 | 4 | 5 | 130;
  summary: string;
  tables: CopiedTableReport[];
  /** The first values that the target cannot hold. */
  faults: Fault[];
  /** True when all rows were compared at the end, and were equal. */
  verified: boolean;
}
