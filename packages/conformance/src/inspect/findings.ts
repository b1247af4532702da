import type { Check } from "../corpus/case.ts";
import { match } from "../matching/match.ts";
import type { Mismatch } from "../matching/match.ts";
import { resolve } from "../matching/scope.ts";
import type { Scope } from "../matching/scope.ts";
import { valueAt } from "../values/json_value.ts";
import type { JsonValue } from "../values/json_value.ts";

/**
 * A difference that an inspection found. `at` is a JSON Pointer, or the place in a database:
 * `patterns`, `patterns.context`, `patterns.context, row 5`.
 */
export interface Finding extends Mismatch {
  /** Id of the check that found it. */
  check?: string;
  /** The error instead of an answer: the implementation's own name of it, and its message. */
  error?: string;
  /**
   * `error` (the default): a stated requirement is broken. `remark`: a ruling refuses the value or reads it
   * differently.
   */
  level?: "error" | "remark";
  /** Id of the requirement. */
  requirement?: string;
  /** Line in a text file, from 1. */
  line?: number;
  /** Column in a text file, from 1, in UTF-16 units. */
  column?: number;
  /** The place in a database, in parts. */
  cell?: Cell;
  /** Number of similar findings that were left out; set on the last one that is reported. */
  more?: number;
}

/** A place in a database. */
export interface Cell {
  table: string;
  column?: string;
  /** The row id; in a table without row ids the key. */
  row?: JsonValue;
}

/** Expectation of a step in which another program writes to a database of the case. */
export const WRITABLE = "a database that another program can write";

/** Applies the checks of a step to parts of a document. */
export function checkParts(checks: Check[], document: JsonValue | undefined, scope: Scope): Finding[] {
  return checks.flatMap((check) => {
    const part = valueAt(document, check.at);
    if (check.absent)
      return part === undefined ? [] : [{ check: check.id, at: check.at, wanted: "no value", got: part }];
    return named(check.id, match(resolve(check.is as JsonValue, scope), part, scope.began, check.at));
  });
}

/** Marks differences with the check that found them. */
export function named(check: string, mismatches: Mismatch[]): Finding[] {
  return mismatches.map((mismatch) => ({ check, ...mismatch }));
}
