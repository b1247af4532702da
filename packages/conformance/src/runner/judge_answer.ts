import type { Expectation } from "../corpus/case.ts";
import { checkParts } from "../inspect/findings.ts";
import type { Finding } from "../inspect/findings.ts";
import { match } from "../matching/match.ts";
import { resolve } from "../matching/scope.ts";
import type { Scope } from "../matching/scope.ts";
import type { Answer } from "../protocol/messages.ts";
import { isObject } from "../values/json_value.ts";

/** What differs between an answer to a call and what was wanted; without a wish the call must simply succeed. */
export function judgeAnswer(answer: Answer, expect: Expectation | undefined, scope: Scope): Finding[] {
  if (answer.type === "unsupported")
    return [
      { at: "", wanted: "an answer: the group of this operation is declared", got: `unsupported: ${answer.reason}` },
    ];
  if (expect && "any" in expect) return [];
  if (expect && "error" in expect) {
    const wanted = isObject(expect.error)
      ? `an error of one of the kinds ${JSON.stringify(expect.error.$oneOf)}`
      : `an error of the kind ${String(expect.error)}`;
    if (answer.type !== "error") return [{ at: "", wanted, got: "value" in answer ? answer.value : "no error" }];
    return match(expect.error, answer.kind, scope.began).map(() => ({ at: "", wanted, got: describeError(answer) }));
  }
  if (answer.type === "error") return [{ at: "", wanted: "no error", got: describeError(answer) }];
  const value = "value" in answer ? answer.value : undefined;
  if (!expect) return [];
  return "ok" in expect
    ? match(resolve(expect.ok, scope), value, scope.began)
    : checkParts(expect.checks, value, scope);
}

function describeError(answer: Extract<Answer, { type: "error" }>): string {
  return `error ${answer.kind} (${answer.native}: ${answer.message})`;
}
