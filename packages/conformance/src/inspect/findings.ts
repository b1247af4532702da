import type { Check } from "../corpus/case.ts";
import { match } from "../matching/match.ts";
import type { Mismatch } from "../matching/match.ts";
import { resolve } from "../matching/scope.ts";
import type { Scope } from "../matching/scope.ts";
import type { JsonValue } from "../values/json_value.ts";
import { valueAt } from "../values/pointer.ts";

/** A difference that an inspection found, with the check that found it. */
export interface Finding extends Mismatch {
  check?: string;
}

/** Applies the checks of a step to parts of a document. */
export function checkParts(checks: Check[], document: JsonValue | undefined, scope: Scope): Finding[] {
  return checks.flatMap((check) => {
    const part = valueAt(document, check.at);
    if (check.absent)
      return part === undefined ? [] : [{ check: check.id, at: check.at, wanted: "nothing there", got: part }];
    return named(check.id, match(resolve(check.is as JsonValue, scope), part, scope.began, check.at));
  });
}

/** Marks differences with the check that found them. */
export function named(check: string, mismatches: Mismatch[]): Finding[] {
  return mismatches.map((mismatch) => ({ check, ...mismatch }));
}
