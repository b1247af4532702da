import type { CallStep, Case, Expectation, Step } from "../corpus/case.ts";
import { inspectDatabase } from "../inspect/database.ts";
import { checkParts } from "../inspect/findings.ts";
import type { Finding } from "../inspect/findings.ts";
import { handOver } from "../inspect/hand_over.ts";
import { inspectFiles, inspectJson, inspectText } from "../inspect/text_files.ts";
import { match } from "../matching/match.ts";
import { resolve } from "../matching/scope.ts";
import type { Scope } from "../matching/scope.ts";
import type { Answer } from "../protocol/messages.ts";
import type { Failure } from "../report/record.ts";
import { isObject } from "../values/json_value.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { show } from "../values/escape.ts";
import type { Session } from "./session.ts";
import { inRange } from "./version_range.ts";

/** Where a case runs. */
export interface CaseRun {
  session: Session;
  scope: Scope;
  /** The specification version that it is judged by. */
  version: string;
  /** A folder of the suite's own. */
  scratch: string;
}

/**
 * Runs the steps in order. A call that answers something else than wanted ends the case, because what follows builds
 * on it; an inspection that finds differences does not.
 */
export async function runSteps(tested: Case, run: CaseRun): Promise<Failure[]> {
  const failures: Failure[] = [];
  let settled = true;
  for (const [index, step] of tested.steps.entries()) {
    if (step.versions !== undefined && !inRange(run.version, step.versions)) continue;
    if (!("call" in step) && !settled) await run.session.send({ type: "settle" });
    settled = !("call" in step);
    const findings = await runStep(step, run);
    failures.push(...findings.map((finding) => failure(finding, index, step)));
    if ("call" in step && findings.length > 0) break;
  }
  return failures;
}

async function runStep(step: Step, run: CaseRun): Promise<Finding[]> {
  if ("call" in step) return runCall(step, run);
  if ("put" in step) handOver(step, run.scope.directory, run.scratch);
  if (!("inspect" in step)) return [];
  switch (step.inspect) {
    case "json":
      return inspectJson(step.file, step.checks, run.scope);
    case "sqlite":
      return inspectDatabase(step.file, step.checks, run.scope, run.scratch);
    case "text":
      return inspectText(step.file, step.is, run.scope);
    case "files":
      return inspectFiles(step.under, step.is, run.scope);
  }
}

async function runCall(step: CallStep, run: CaseRun): Promise<Finding[]> {
  const args = resolve(step.args ?? {}, run.scope) as JsonObject;
  const handle = step.handle === undefined ? {} : { handle: step.handle };
  const keep = step.keep === undefined ? {} : { keep: step.keep };
  const answer = await run.session.send({ type: "call", op: step.call, args, ...handle, ...keep });
  if (answer.type === "ok" && "value" in answer && step.bind !== undefined)
    run.scope.variables.set(step.bind, answer.value as JsonValue);
  return judgeAnswer(answer, step.expect, run.scope);
}

function judgeAnswer(answer: Answer, expect: Expectation | undefined, scope: Scope): Finding[] {
  if (answer.type === "unsupported")
    return [
      { at: "", wanted: "an answer: the group of this operation is declared", got: `unsupported: ${answer.reason}` },
    ];
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

function failure(finding: Finding, index: number, step: Step): Failure {
  const check = finding.check === undefined ? {} : { check: finding.check };
  const got = typeof finding.got === "string" && finding.got.startsWith("error ") ? finding.got : show(finding.got);
  return { step: index + 1, ...check, where: wordsFor(step), at: finding.at, wanted: finding.wanted, got };
}

function wordsFor(step: Step): string {
  if ("call" in step) return `call ${step.call}`;
  if ("put" in step) return `hand over ${step.put}`;
  if (!("inspect" in step)) return "settle";
  return step.inspect === "files"
    ? `list files in ${step.under ?? "the case's directory"}`
    : `inspect ${step.inspect} ${step.file}`;
}
