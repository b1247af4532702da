import type { CallStep, Case, InspectStep, Step } from "../corpus/case.ts";
import type { Requirement } from "../corpus/requirement.ts";
import { inspectDatabase } from "../inspect/database.ts";
import type { Finding } from "../inspect/findings.ts";
import { handOver } from "../inspect/hand_over.ts";
import { inspectCsv, inspectJsonLines } from "../inspect/tables_of_text.ts";
import { writeAsAnother } from "../inspect/write_as_another.ts";
import { inspectFiles, inspectJson, inspectText, placeOf } from "../inspect/text_files.ts";
import { judgeWrittenFile, lineOf } from "../judge_file/judge_written_file.ts";
import { resolve } from "../matching/scope.ts";
import type { Scope } from "../matching/scope.ts";
import type { Failure } from "../report/record.ts";
import { AdapterFault } from "../protocol/channel.ts";
import type { DatabasesOfCase } from "../table_dump/databases_of_case.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { questionOf, readAnswer } from "./answers.ts";
import { judgeAnswer } from "./judge_answer.ts";
import type { Session } from "./session.ts";
import { failuresOf, wordsFor } from "./step_failures.ts";
import { inRange } from "./version_range.ts";

/** Where a case runs. */
export interface CaseRun {
  session: Session;
  scope: Scope;
  /** The specification version that it is judged by. */
  version: string;
  /** A folder of the suite's own. */
  scratch: string;
  /** Where the case's databases are looked at. */
  databases: DatabasesOfCase;
  /** The rows that the case cites. */
  requirements: readonly Requirement[];
}

/** What the steps of a case brought to light. */
export interface StepResults {
  failures: Failure[];
  /** Open questions and the answers that were seen. */
  answers: Record<string, string>;
}

/**
 * Runs the steps in order. A call that answers something else than wanted ends the case, because what follows builds
 * on it; an inspection that finds differences does not.
 */
export async function runSteps(tested: Case, run: CaseRun): Promise<StepResults> {
  const results: StepResults = { failures: [], answers: {} };
  let settled = true;
  for (const [index, step] of tested.steps.entries()) {
    if (step.versions !== undefined && !inRange(run.version, step.versions)) continue;
    const place = `step ${index + 1}, ${wordsFor(step)}`;
    if (!("call" in step) && !settled) await at(`settling before ${place}`, () => settle(run));
    settled = !("call" in step);
    const findings = await at(place, () => runStep(step, tested, run, results.answers));
    results.failures.push(...failuresOf(findings, index, step));
    if ("call" in step && findings.length > 0) break;
  }
  return results;
}

async function settle({ session, databases }: CaseRun): Promise<void> {
  databases.settle(await session.send({ type: "settle" }));
}

/** Names the place of a breakdown. */
async function at<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AdapterFault) error.message = `${place}: ${error.message}`;
    throw error;
  }
}

async function runStep(step: Step, tested: Case, run: CaseRun, answers: Record<string, string>): Promise<Finding[]> {
  /** One judgement for a plain step; for one with answers the first that fits is noted. */
  const decide = <W>(wanted: W | { answers: Record<string, W> }, judge: (wanted: W) => Finding[]): Finding[] => {
    if (typeof wanted !== "object" || wanted === null || !("answers" in wanted)) return judge(wanted as W);
    const question = questionOf(tested, (step as { question?: string }).question);
    const row = run.requirements.find((requirement) => requirement.id === question) as Requirement;
    const seen = readAnswer(row, wanted.answers, judge);
    // A case may look twice; another answer than ours, seen once, is what the reader has to know.
    if (answers[question] === undefined || answers[question] === row.ruling) answers[question] = seen.answer;
    return seen.findings;
  };
  if ("call" in step) {
    const answer = await call(step, run);
    if (step.expect === undefined) return judgeAnswer(answer, undefined, run.scope);
    return decide(step.expect, (wanted) => judgeAnswer(answer, wanted, run.scope));
  }
  if ("write" in step) return writeAsAnother(step, run.scope.directory);
  if ("put" in step) handOver(step, run.scope.directory, run.scratch);
  return "inspect" in step ? inspect(step, run, decide) : [];
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
    case "files":
      return decide(step, ({ is }) => inspectFiles(step.under, is, scope));
    case "patterns-database":
    case "metrics-database":
      return judgeWrittenFile(step.inspect, databases.pathOf(step.file), step.file, lineOf(version), scratch);
    default:
      return judgeWrittenFile(step.inspect, placeOf(step.file, scope.directory), step.file, lineOf(version), scratch);
  }
}
