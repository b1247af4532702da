import { setTimeout } from "node:timers/promises";
import type { CallStep, Case, Expectation, InspectStep, Step } from "../corpus/case.ts";
import { UNSUPPORTED_CHECK } from "../corpus/own_checks.ts";
import { wordsFor } from "../corpus/step_text.ts";
import type { Requirement } from "../corpus/requirements.ts";
import { inspectDatabase } from "./inspect_database.ts";
import { checkParts, type Finding } from "../inspect/findings.ts";
import { lockDatabase } from "../inspect/lock_database.ts";
import { makeOlder, provideFile, removeDatabase, writeAsOtherProgram } from "../inspect/provide_file.ts";
import { suiteText } from "../inspect/suite_text.ts";
import { inspectCsv, inspectJsonLines } from "../inspect/tables_of_text.ts";
import { inspectFiles, inspectJson, inspectMode, inspectText, placeOf } from "../inspect/text_files.ts";
import { judgeWrittenFile } from "../judge_file/judge_by_line.ts";
import { describe } from "../matching/describe.ts";
import { match } from "../matching/match.ts";
import { numbered, resolve, type Scope } from "../matching/scope.ts";
import { AdapterFault } from "../protocol/channel.ts";
import type { Answer } from "../protocol/messages.ts";
import type { Failure } from "../results/record.ts";
import type { DatabasesOfCase } from "../table_dump/databases_of_case.ts";
import { show } from "../values/escape.ts";
import { isObject, type JsonObject, type JsonValue } from "../values/json_value.ts";
import { failuresOf } from "./failures_of_step.ts";
import { keepsObjectsOpen } from "../corpus/case_rules.ts";
import { questionOf, readAnswer } from "./answers.ts";
import type { Session } from "./session.ts";
import { inRange, lineOfVersion } from "../corpus/version_range.ts";

/** Environment in which the steps of a case run. */
interface CaseRun {
  session: Session;
  scope: Scope;
  /** The specification version that it is judged by. */
  version: string;
  /** A folder of the suite. */
  scratch: string;
  /** The files in which the case's databases are inspected. */
  databases: DatabasesOfCase;
  /** The requirements that the case cites. */
  requirements: readonly Requirement[];
  /** True after a legal refusal: the later steps hold only for an answer. */
  ended?: boolean;
}

/** Results of the steps of a case. */
interface StepResults {
  failures: Failure[];
  /** Observed answers to open questions. */
  answers: Record<string, string>;
}

/**
 * Runs the steps in order. An unexpected answer to a call ends the case, because later steps depend on it; differences
 * in an inspection do not.
 */
export async function runSteps(tested: Case, run: CaseRun): Promise<StepResults> {
  const results: StepResults = { failures: [], answers: {} };
  let settled = true;
  for (const [index, step] of tested.steps.entries()) {
    if (step.versions !== undefined && !inRange(run.version, step.versions)) continue;
    const place = `step ${index + 1}, ${wordsFor(step)}`;
    if ("kill" in step) {
      await run.session.kill();
      settled = true;
      continue;
    }
    const keepsOpen = keepsObjectsOpen(step);
    if (!keepsOpen && !settled) await at(`settling before ${place}`, () => settle(run));
    if (!keepsOpen) settled = true;
    else if ("call" in step) settled = false;
    const { copy, findings } = await at(place, () => runCopies(step, tested, run, results.answers));
    results.failures.push(...failuresOf(findings, index, copy, tested, run));
    if (run.ended || ("call" in step && findings.length > 0)) break;
  }
  return results;
}

/** Runs a step, or each copy of a repeated one until a copy finds a difference. */
async function runCopies(
  step: Step,
  tested: Case,
  run: CaseRun,
  answers: Record<string, string>,
): Promise<{ copy: Step; findings: Finding[] }> {
  const times = "times" in step ? step.times : undefined;
  if (times === undefined) return { copy: step, findings: await runStep(step, tested, run, answers) };
  let copy = step;
  for (let number = 1; number <= times; number += 1) {
    copy = numbered(step as unknown as JsonValue, String(number)) as unknown as Step;
    const findings = await runStep(copy, tested, run, answers);
    if (findings.length > 0 || run.ended) return { copy, findings };
  }
  return { copy, findings: [] };
}

async function settle({ session, databases }: CaseRun): Promise<void> {
  databases.settle(await session.send({ type: "settle" }));
}

/** Adds the place to a fault of the adapter. */
async function at<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AdapterFault) error.place = error.place === undefined ? place : `${place}, ${error.place}`;
    throw error;
  }
}

async function runStep(step: Step, tested: Case, run: CaseRun, answers: Record<string, string>): Promise<Finding[]> {
  /** Judges a plain step; for a step with answers, records the first answer that matches. */
  const decide = <W>(wanted: W | { answers: Record<string, W> }, judge: (wanted: W) => Finding[]): Finding[] => {
    if (typeof wanted !== "object" || wanted === null || !("answers" in wanted)) return judge(wanted as W);
    const question = questionOf(tested, (step as { question?: string }).question);
    const row = run.requirements.find((requirement) => requirement.id === question) as Requirement;
    const seen = readAnswer(row, wanted.answers, judge);
    // A case may ask twice; an answer other than our ruling is kept even if our ruling is observed later.
    if (answers[question] === undefined || answers[question] === row.ruling) answers[question] = seen.answer;
    return seen.findings;
  };
  if ("call" in step) {
    const lock =
      step.locked === undefined
        ? undefined
        : await lockDatabase(step.locked, run.scope.directory, longestLock(step, run));
    if (lock !== undefined && lock.findings.length > 0) return lock.findings;
    const answer = await call(step, run).finally(() => lock?.release());
    if (step.may_fail && answer.type === "error") {
      run.ended = true;
      return [];
    }
    if (step.expect === undefined) return judgeAnswer(answer, undefined, run.scope);
    return decide(step.expect, (wanted) => judgeAnswer(answer, wanted, run.scope));
  }
  if ("write" in step) {
    const outcome = writeAsOtherProgram(step, run.scope.directory);
    run.ended = outcome === "locked";
    return outcome === "locked" ? [] : outcome;
  }
  if ("next_second" in step) {
    // A timer may end a millisecond early.
    await setTimeout(1005 - (Date.now() % 1000));
    return [];
  }
  if ("age" in step) return makeOlder(step, run.scope.directory);
  if ("remove" in step) {
    run.ended = !removeDatabase(step.remove, run.scope.directory);
    return [];
  }
  if ("put" in step) {
    run.ended = step.open === true && !removeDatabase(step.put, run.scope.directory);
    return run.ended ? [] : provideFile(step, run.scope.directory, run.scratch);
  }
  return "inspect" in step ? inspect(step, run, decide) : [];
}

/** Most drivers wait for five seconds. */
const LONG_LOCK_MS = 6000;

/**
 * The longest time for a lock that ends with the answer. An implementation that waits longer gets the lock before its
 * time for an answer ends.
 */
function longestLock({ until }: CallStep, { session }: CaseRun): number | undefined {
  return until === undefined ? undefined : Math.min(LONG_LOCK_MS, session.timeoutMs * 0.6);
}

async function call(step: CallStep, run: CaseRun): ReturnType<Session["send"]> {
  const args = resolve(step.args ?? {}, run.scope) as JsonObject;
  const handle = step.handle === undefined ? {} : { handle: step.handle };
  const keep = step.keep === undefined ? {} : { keep: step.keep };
  const answer = await run.session.send({ type: "call", op: step.call, args, ...handle, ...keep });
  if (answer.type === "ok" && "value" in answer && step.bind !== undefined)
    run.scope.variables.set(step.bind, answer.value as JsonValue);
  return answer;
}

function inspect(
  step: InspectStep,
  { scope, scratch, version, databases }: CaseRun,
  decide: <W>(wanted: W | { answers: Record<string, W> }, judge: (wanted: W) => Finding[]) => Finding[],
): Finding[] {
  switch (step.inspect) {
    case "json":
      return decide(step, ({ checks }) => inspectJson(step.file, checks, scope));
    case "jsonl":
      return decide(step, ({ checks }) => inspectJsonLines(step.file, checks, scope));
    case "csv":
      return decide(step, ({ checks }) => inspectCsv(step.file, checks, scope));
    case "sqlite":
      return decide(step, ({ checks }) =>
        inspectDatabase(step.file, checks, scope, scratch, databases.pathOf(step.file)),
      );
    case "text":
      return decide(step, ({ is }) => inspectText(step.file, is, scope));
    case "mode":
      return decide(step, ({ is }) => inspectMode(step.file, is, scope));
    case "files":
      return decide(step, ({ is }) => inspectFiles(step.under, is, scope));
    case "patterns-database":
    case "metrics-database":
      return judgeWrittenFile(step.inspect, databases.pathOf(step.file), step.file, lineOfVersion(version), scratch);
    default:
      return judgeWrittenFile(
        step.inspect,
        placeOf(step.file, scope.directory),
        step.file,
        lineOfVersion(version),
        scratch,
      );
  }
}

/** Differences between an answer and the expectation; without an expectation the call only has to succeed. */
function judgeAnswer(answer: Answer, expect: Expectation | undefined, scope: Scope): Finding[] {
  if (answer.type === "unsupported")
    return [
      {
        check: UNSUPPORTED_CHECK,
        at: "",
        wanted: "an answer, because the capability of this operation is declared",
        got: `unsupported: ${answer.reason}`,
      },
    ];
  if (expect && "any" in expect) return [];
  if (expect && "error" in expect) {
    const wanted = isObject(expect.error)
      ? `an error of one of the kinds ${describe(expect.error.$oneOf as JsonValue)}`
      : `an error of the kind ${String(expect.error)}`;
    if (answer.type !== "error") return [withoutError("value" in answer ? answer.value : undefined, wanted)];
    return match(expect.error, answer.kind, scope.began).map(() => errorFinding(answer, wanted));
  }
  if (answer.type === "error") return [errorFinding(answer, "no error")];
  const value = "value" in answer ? answer.value : undefined;
  if (!expect) return [];
  return "ok" in expect
    ? match(resolve(expect.ok, scope), value, scope.began)
    : checkParts(expect.checks, value, scope);
}

/** The answer of a call that should have been refused; a value of null says nothing to a reader. */
function withoutError(value: JsonValue | undefined, wanted: string): Finding {
  const isNothing = value === undefined || value === null;
  return { at: "", wanted, got: suiteText(isNothing ? "no error" : `no error, but ${show(value, 200)}`) };
}

function errorFinding({ kind, native, message }: Extract<Answer, { type: "error" }>, wanted: string): Finding {
  const error = `${native}: ${message}`;
  return { at: "", wanted, got: `error ${kind} (${error})`, error };
}
