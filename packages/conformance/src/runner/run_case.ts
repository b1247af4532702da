import type { Case } from "../corpus/case.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import { AdapterFault } from "../protocol/channel.ts";
import { TABLE_DUMP } from "../protocol/operations.ts";
import type { CaseRecord, Failure } from "../results/record.ts";
import { DatabasesOfCase } from "../table_dump/databases_of_case.ts";
import type { JsonValue } from "../values/json_value.ts";
import { isDeclared } from "./answers.ts";
import { SANDBOX_CHECK, UNSUPPORTED_CHECK } from "../corpus/own_checks.ts";
import { FAILED_VERDICTS } from "../results/case_status.ts";
import { keepCase } from "./keep_case.ts";
import { runSteps } from "./run_steps.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Session } from "./session.ts";
import { inRange } from "../corpus/version_range.ts";

/** Environment of a case. */
interface CaseSurroundings {
  session: Session;
  sandbox: Sandbox;
  shared: Record<string, JsonValue>;
  version: string;
  /** The folder in which failed cases are kept; undefined if they are not. */
  keep: string | undefined;
}

/**
 * True if the verdict of a case counts. A stated requirement always counts. An open question counts if the
 * implementation declared in `hello` that it follows our ruling; otherwise its behaviour is only reported. A case of any
 * level counts if it ends the adapter or breaks what the adapter declared: see {@link recordFault} and {@link judge}.
 */
function isScored(loaded: LoadedCase, choices: Record<string, string>): boolean {
  if (loaded.level === "observe") return loaded.requirements.every((row) => isDeclared(row, choices));
  return loaded.level !== "extra";
}

/** The part of a record that is known before the case runs. */
export function blankRecord(loaded: LoadedCase, choices: Record<string, string>): CaseRecord {
  return {
    record: "case",
    id: loaded.case.id,
    title: loaded.case.title,
    level: loaded.level,
    scored: isScored(loaded, choices),
    verdict: "not-run",
    requirements: loaded.case.requirements,
    failures: [],
  };
}

/** Runs one case in a new directory. After any verdict except pass, fail and observed the session is unusable. */
export async function runCase(loaded: LoadedCase, surroundings: CaseSurroundings): Promise<CaseRecord> {
  const { session, sandbox, shared, version, keep } = surroundings;
  const record = blankRecord(loaded, session.introduction.choices);
  const began = Date.now();
  const directory = sandbox.enter(loaded.case.id);
  try {
    await session.send({ type: "begin", case: loaded.case.id, directory });
    const scope = {
      data: { ...shared, ...loaded.case.data },
      variables: new Map<string, JsonValue>(),
      directory,
      began,
    };
    const { requirements } = loaded;
    const { scratch } = sandbox;
    const databases = new DatabasesOfCase(directory, scratch, session.introduction.capabilities.includes(TABLE_DUMP));
    const run = { session, scope, version, scratch, requirements, databases };
    const { failures, answers } = await runSteps(loaded.case, run).finally(() => databases.remove());
    record.failures = failures;
    if (Object.keys(answers).length > 0) record.answers = answers;
    await session.endCase();
    record.failures.push(...escapes(sandbox.outsideFiles(), loaded.case.steps.length));
    judge(record, unreached(loaded.case, version, record));
  } catch (error) {
    recordFault(record, error, session);
  } finally {
    if (keep !== undefined && FAILED_VERDICTS.has(record.verdict))
      keepCase(keep, {
        tested: loaded.case,
        directory,
        messages: session.messages(),
        stderr: session.diagnostics(),
      });
    sandbox.leave();
  }
  return withoutPlaces(record, sandbox);
}

/**
 * The place at which a case ended before it had asked any of its open questions; undefined if it asked one, or if it has
 * no step that distinguishes answers.
 */
function unreached(tested: Case, version: string, { answers = {}, failures: [first] }: CaseRecord): string | undefined {
  const asks = tested.steps.some(
    (step) =>
      (step.versions === undefined || inRange(version, step.versions)) &&
      "answers" in (("call" in step ? step.expect : step) ?? {}),
  );
  return asks && first !== undefined && Object.keys(answers).length === 0
    ? `step ${first.step}, ${first.where}`
    : undefined;
}

/** @param end The place at which the case ended before it asked its question. */
function judge(record: CaseRecord, end: string | undefined): void {
  const held = record.failures.length === 0;
  if (record.failures.some(({ check }) => check === SANDBOX_CHECK || check === UNSUPPORTED_CHECK)) record.scored = true;
  if (record.level === "observe" && !record.scored) {
    record.verdict = "observed";
    if (end === undefined) record.as_ruled = held;
    else record.reason = `the question was not reached: ${end} failed`;
  } else {
    record.verdict = held ? "pass" : "fail";
  }
}

function recordFault(record: CaseRecord, error: unknown, session: Session): void {
  if (error instanceof AdapterFault) {
    record.verdict = error.kind;
    record.scored = true;
    record.diagnostics = session.diagnostics();
    if (error.place !== undefined) record.place = error.place;
  } else if (error instanceof Error) {
    record.verdict = "harness-error";
  } else {
    throw error;
  }
  record.reason = error.message;
}

/** Replaces the random name of the sandbox by `<sandbox>`, so that two runs give the same report. */
function withoutPlaces(record: CaseRecord, sandbox: Sandbox): CaseRecord {
  const cut = (text: string): string => text.replaceAll(sandbox.root, "<sandbox>");
  record.failures = record.failures.map((one) => {
    const error = one.error === undefined ? {} : { error: cut(one.error) };
    const given = one.given === undefined ? {} : { given: one.given.map(cut) };
    return { ...one, wanted: cut(one.wanted), got: cut(one.got), ...error, ...given };
  });
  if (record.reason !== undefined) record.reason = cut(record.reason);
  if (record.diagnostics !== undefined) record.diagnostics = cut(record.diagnostics);
  return record;
}

function escapes(strays: string[], step: number): Failure[] {
  return strays.map((name) => ({
    step,
    check: SANDBOX_CHECK,
    where: "after the last step",
    at: "",
    wanted: "nothing outside the case's directory",
    got: JSON.stringify(name),
  }));
}
