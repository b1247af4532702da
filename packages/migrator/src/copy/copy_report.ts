import { type Comparison, LISTED } from "./compare_tables.ts";
import type { Fault } from "./faults.ts";
import type { CopiedTable } from "./tables.ts";

/** Result for one table. */
export interface CopiedTableReport {
  table: string;
  /** Number of rows of the source. */
  rows: number;
  /** Number of rows that the target already had. */
  present: number;
  /** Number of rows that were copied, or would be. */
  copied: number;
  /** Number of rows of the target that were overwritten by the source's (`replace`), or would be. */
  replaced: number;
  /** Number of rows of the target that the source does not have, and that were removed (`replace`), or would be. */
  removed: number;
  /** Number of rows of the target above the source's highest id: recorded since. */
  recorded_since: number;
  /** Number of values that the target cannot hold. */
  faults: number;
  /** Keys of the first rows that differ, or are in the target only. */
  differences: { key: string; columns: string[] }[];
  difference_count: number;
}

/** Keys of metadata that the source declares for breakdowns. */
export interface CopiedKeys {
  /** Keys whose values have sums. */
  keys: readonly string[];
  /** Keys whose numbers are summed. */
  numbers: readonly string[];
  /**
   * `declared` in the target, or to be declared; `kept` if the target already declares keys, which are not changed;
   * `not_permitted` if the role may not declare keys.
   */
  outcome: "declared" | "kept" | "not_permitted";
}

/** Result of `copyData`. */
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
  /** Pre-16 databases, of which a private copy was migrated. */
  migrated: string[];
  exit_code: 0 | 1 | 3 | 4 | 5 | 130;
  summary: string;
  tables: CopiedTableReport[];
  /** Null if the source declares no keys. */
  declared_keys: CopiedKeys | null;
  /** The first values that the target cannot hold. */
  faults: Fault[];
  /** True if all rows were compared at the end, and were equal. */
  verified: boolean;
}

/** The comparison of each table. */
export type Comparisons = Map<CopiedTable, Comparison>;

/** The report on a table before anything is changed. */
export function tableReport({ name }: CopiedTable, found: Comparison): CopiedTableReport {
  return {
    table: name,
    rows: found.rows,
    present: found.equal,
    copied: found.missing,
    replaced: found.different.length,
    removed: found.extra.length,
    recorded_since: found.since,
    faults: found.faultCount,
    ...differencesOf(found, false),
  };
}

/** @param withMissing True if rows that the target lacks count as differences. */
export function differencesOf(
  found: Comparison,
  withMissing: boolean,
): Pick<CopiedTableReport, "differences" | "difference_count"> {
  const only = (keys: readonly (string | undefined)[], where: string): { key: string; columns: string[] }[] =>
    keys.slice(0, LISTED).map((key) => ({ key: key as string, columns: [where] }));
  const missing = withMissing
    ? only(
        found.missingRanges.map(({ first }) => first),
        "only in the source",
      )
    : [];
  return {
    differences: [...found.differences, ...only(found.extra, "only in the target"), ...missing].slice(0, LISTED),
    difference_count: found.different.length + found.extra.length + (withMissing ? found.missing : 0),
  };
}

/** Number of rows that differ, or that only the target has. */
export function differing(comparisons: Comparisons): number {
  return [...comparisons.values()].reduce((sum, { different, extra }) => sum + different.length + extra.length, 0);
}

/** Summary of the rows to write; empty without such rows. */
export function amount({ tables }: CopyReport): string {
  return tables
    .filter(({ copied, replaced, removed }) => copied + replaced + removed > 0)
    .map(({ table, copied, replaced, removed }) => {
      const others = [replaced > 0 ? `${replaced} replaced` : "", removed > 0 ? `${removed} removed` : ""].filter(
        Boolean,
      );
      return `${table} ${copied}${others.length > 0 ? ` (${others.join(", ")})` : ""}`;
    })
    .join(", ");
}
