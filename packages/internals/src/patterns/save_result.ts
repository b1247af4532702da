import { ValidationError } from "../errors/errors.ts";
import { describe } from "../text/describe.ts";
import type { DropInvalid } from "./invalid_patterns.ts";

/** Options of a save to JSON. */
export interface SaveToJsonOptions extends DropInvalid {
  /**
   * Allows a save to replace a file that another program has saved since this library was loaded from it or saved to
   * it. What the other program saved is lost.
   */
  overwrite?: boolean | undefined;
}

/** Options of a save to a database. */
export interface SaveToSqliteOptions extends DropInvalid {
  /**
   * `merge` (the default) adds and updates patterns by id and keeps patterns that the library does not have, so that
   * several agents may share one database. If two agents changed the same pattern, the later save wins, except that
   * the uses that both counted since they loaded the library are added up. `replace` makes the table equal to the
   * library, including the order. `add` only adds patterns that the database does not have, and the uses of all: what
   * other programs have changed in the others stays.
   */
  mode?: "merge" | "replace" | "add" | undefined;
}

/** Treatment of stored patterns by a save. */
export type SaveMode = NonNullable<SaveToSqliteOptions["mode"]>;

/** @throws ValidationError for another value. */
export function checkedMode(mode: SaveMode = "merge"): SaveMode {
  if (["merge", "replace", "add"].includes(mode)) return mode;
  throw new ValidationError(`expected "merge", "replace" or "add", got ${describe(mode)}. Nothing was written.`, {
    argument: "mode",
  });
}

/** Result of a save. */
export interface SaveResult {
  /** Number of patterns of the library, which the database now contains; of `add`, of those that it did not contain. */
  patterns: number;
  /** Number of rows added to `pattern_usage`. */
  usageRows: number;
  /** Number of patterns that `replace` removed. */
  removedPatterns: number;
  /**
   * Number of rows of `pattern_usage` that `replace` removed with their patterns, plus queued uses of patterns that are
   * not in the library. `merge` and `add` keep these uses queued.
   */
  removedUsageRows: number;
}
