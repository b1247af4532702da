import type { LoadedCase } from "../corpus/load_cases.ts";
import { CaseFault } from "../matching/scope.ts";
import { AdapterFault } from "../protocol/channel.ts";
import type { CaseRecord, Failure } from "../report/record.ts";
import type { JsonValue } from "../values/json_value.ts";
import { runSteps } from "./run_steps.ts";
import type { Sandbox } from "./sandbox.ts";
import { HarnessFault } from "./session.ts";
import type { Session } from "./session.ts";

/** What a case needs from its run. */
export interface CaseSurroundings {
  session: Session;
  sandbox: Sandbox;
  shared: Record<string, JsonValue>;
  version: string;
}

/**
 * Whether the verdict of a case counts. A stated requirement always does. An open question counts when the
 * implementation said in `hello` that it answers it by our ruling; otherwise its behaviour is only reported.
 */
function isScored(loaded: LoadedCase, choices: Record<string, string>): boolean {
  if (loaded.level === "observe") return loaded.case.requirements.every((id) => choices[id] === "ruled");
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
    requirements: loaded.requirements.map(({ id, section, statement }) => ({ id, section, statement })),
    failures: [],
    duration_ms: 0,
  };
}

/** Runs one case in a fresh directory. After any verdict but pass, fail and observed the session is unusable. */
export async function runCase(loaded: LoadedCase, surroundings: CaseSurroundings): Promise<CaseRecord> {
  const { session, sandbox, shared, version } = surroundings;
  const record = blankRecord(loaded, session.introduction.choices);
  const began = Date.now();
  try {
    const directory = sandbox.enter(loaded.case.id);
    await session.send({ type: "begin", case: loaded.case.id, directory });
    const scope = {
      data: { ...shared, ...loaded.case.data },
      variables: new Map<string, JsonValue>(),
      directory,
      began,
    };
    record.failures = await runSteps(loaded.case, { session, scope, version, scratch: sandbox.scratch });
    await session.send({ type: "end" });
    record.failures.push(...escapes(sandbox.strays(loaded.case.id), loaded.case.steps.length));
    judge(record);
  } catch (error) {
    blame(record, error, session);
  } finally {
    sandbox.leave(loaded.case.id);
    record.duration_ms = Date.now() - began;
  }
  return record;
}

function judge(record: CaseRecord): void {
  const held = record.failures.length === 0;
  if (record.level === "observe" && !record.scored) {
    record.verdict = "observed";
    record.as_ruled = held;
  } else {
    record.verdict = held ? "pass" : "fail";
  }
}

function blame(record: CaseRecord, error: unknown, session: Session): void {
  if (error instanceof AdapterFault) {
    record.verdict = error.kind;
    record.diagnostics = session.diagnostics();
  } else if (error instanceof HarnessFault || error instanceof CaseFault || error instanceof Error) {
    record.verdict = "harness-error";
  } else {
    throw error;
  }
  record.reason = error.message;
}

function escapes(strays: string[], step: number): Failure[] {
  return strays.map((name) => ({
    step,
    check: "sandbox",
    where: "after the last step",
    at: "",
    wanted: "nothing outside the case's directory",
    got: JSON.stringify(name),
  }));
}
