import { EXIT } from "@perdura/cli/exit_codes.js";
import { PATIENCE_MS } from "../../../test/patience.ts";
import type { Case, Step } from "../../../packages/conformance/src/corpus/case.ts";
import { readCorpus } from "../../../packages/conformance/src/corpus/corpus.ts";
import type { LoadedCase } from "../../../packages/conformance/src/corpus/load_cases.ts";
import { loadAdapter } from "../../../packages/conformance/src/implementations.ts";
import type { ImplementationName } from "../../../packages/conformance/src/implementations.ts";
import { openCopy } from "../../../packages/conformance/src/inspect/database_copy.ts";
import { inProcessAdapter } from "../../../packages/conformance/src/protocol/in_process.ts";
import type { Adapter } from "../../../packages/conformance/src/protocol/messages.ts";
import type { CaseRecord } from "../../../packages/conformance/src/results/record.ts";
import type { Summary } from "../../../packages/conformance/src/results/summary.ts";
import { questionOf } from "../../../packages/conformance/src/runner/answers.ts";
import { conclude } from "../../../packages/conformance/src/runner/accounting.ts";
import { runSuite } from "../../../packages/conformance/src/runner/run_suite.ts";
import type { SuiteResult } from "../../../packages/conformance/src/runner/suite_options.ts";
import { temporaryFolder } from "../../../packages/conformance/src/runner/temporary_folder.ts";
import { judgeChosen } from "./judge_chosen.ts";
import { mutate } from "./mutants/mutations.ts";
import type { Mutation } from "./mutants/mutations.ts";
import type { Tolerance } from "./tolerance.ts";

/** Operations and tables of a case that a mutation can act on. */
interface Trace {
  operations: Set<string>;
  /** Names of the tables in each database, each time that the suite was about to inspect it. */
  databases: Set<unknown>[];
  /** True if a call followed such a time. */
  isContinued: boolean;
}

/** Records the trace of each case, by the id of the case; the implementation's behaviour stays unchanged. */
function traced(inner: Adapter, traces: Map<string, Trace>): Adapter {
  let trace = emptyTrace();
  const watched = mutate(inner, {
    before(request) {
      trace.operations.add(request.op);
      trace.isContinued ||= trace.databases.length > 0;
      return request;
    },
    settled: (databases) => void trace.databases.push(...databases.map(tablesOf)),
  });
  return {
    handle(request) {
      if (request.type === "begin") {
        trace = emptyTrace();
        traces.set(request.case, trace);
      }
      return watched.handle(request);
    },
  };
}

const emptyTrace = (): Trace => ({ operations: new Set(), databases: [], isContinued: false });

/** Reads a copy, because opening the database itself can create or remove a write-ahead log. */
function tablesOf(path: string): Set<unknown> {
  const database = openCopy(path, temporaryFolder());
  try {
    return new Set(database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name));
  } finally {
    database.close();
  }
}

/**
 * True if a mutation can act on a case. Until its first effect, a case runs as it does without the mutation; so a
 * mutation that cannot act on that run never acts in this case. A change of databases that nothing reads afterwards has no
 * effect.
 */
function actsOn(
  { op, ops, table, before, answer, settled }: Mutation,
  { operations, databases, isContinued }: Trace,
  tested: Case,
): boolean {
  const changed = ops ?? (op === undefined ? undefined : [op]);
  const asked = changed === undefined ? operations.size > 0 : changed.some((name) => operations.has(name));
  const written = databases.some((tables) => table === undefined || tables.has(table));
  const isSeen = isContinued || looksAtMoreThanTexts(tested);
  return ((before !== undefined || answer !== undefined) && asked) || (settled !== undefined && written && isSeen);
}

/** True if a case does anything after its first call except for further calls and inspections of JSON and CSV files. */
function looksAtMoreThanTexts({ steps }: Case): boolean {
  const later = steps.slice(steps.findIndex((step) => "call" in step));
  return later.some((step) => !("call" in step || ("inspect" in step && TEXTS.has(step.inspect))));
}

const TEXTS: ReadonlySet<string> = new Set(["json", "jsonl", "csv"]);

/** A run of the whole suite on an unmodified line, with the trace of each case. */
export interface UnmodifiedRun {
  name: ImplementationName;
  result: SuiteResult;
  traces: ReadonlyMap<string, Trace>;
}

/** Judges an unmodified line. */
export async function runUnmodified(name: ImplementationName): Promise<UnmodifiedRun> {
  const traces = new Map<string, Trace>();
  const adapter = inProcessAdapter(name, async () => traced(await loadAdapter(name), traces));
  return { name, result: await runSuite({ adapter, timeoutMs: PATIENCE_MS }), traces };
}

/** Generated sequences for each habit: many habits run the same cases. */
const HABIT_RUNS = Math.ceil(8 * Number(process.env["PERDURA_RUNS"] ?? 1));

/**
 * Reasons why a line with tolerated habits does not pass every must, and every should except for those that a habit
 * names; empty if it does. This guards against cases that are too strict. Only cases that a habit can affect are run; the
 * others keep the verdict of the unmodified line.
 *
 * @param habits one, or several that give the same answer to each open question.
 * @param isTried False for a case that keeps its verdict although a habit can affect it; by default none.
 */
export async function faultsOfHabits(
  { name, result, traces }: UnmodifiedRun,
  habits: readonly Tolerance[],
  isTried: (loaded: LoadedCase) => boolean = () => true,
): Promise<string[]> {
  const concerned = readCorpus().cases.filter((loaded) =>
    habits.some((habit) => concerns(habit, loaded, traces.get(loaded.case.id))),
  );
  if (concerned.length === 0) return [`no case of ${name} can show this habit`];
  const tried = concerned.filter(isTried).map((loaded) => loaded.case.id);
  if (tried.length === 0) return [];
  const adapter = inProcessAdapter(name, async () => habits.reduce(tolerant, await loadAdapter(name)));
  const { records, notes } = await judgeChosen(adapter, tried, undefined, HABIT_RUNS);
  const changed = new Map(records.map((record) => [record.id, record]));
  const all = result.cases.map((record) => changed.get(record.id) ?? record);
  const misses = habits.flatMap((habit) => habit.misses ?? []);
  // Together, habits may avoid a case that one of them fails.
  const [only, ...others] = habits;
  const isAlone = only !== undefined && others.length === 0;
  const stale = isAlone ? misses.filter((id) => changed.get(id)?.verdict === "pass") : [];
  return [
    ...faultsOf(name, all, { exit_code: conclude(records, [], 0).exit_code, notes }, misses),
    ...stale.map((id) => `${name} ${id}: expected a fail, because the habit names this case, got a pass`),
    ...(isAlone ? unseenAnswers(only, concerned, result.cases, records) : []).map(
      (answer) => `${name}: no case observed ${answer}, which some can observe`,
    ),
  ];
}

/**
 * Answers of a habit that the cases know, and none observed.
 * @param cases those that the habit concerns; answers that a case knows that was not tried are left out.
 * @param usual verdicts of the unmodified line.
 */
function unseenAnswers(
  { choices }: Tolerance,
  cases: readonly LoadedCase[],
  usual: readonly CaseRecord[],
  records: readonly CaseRecord[],
): string[] {
  const tried = new Set(records.map(({ id }) => id));
  const asked = new Set(usual.filter(({ verdict }) => verdict !== "inapplicable").map(({ id }) => id));
  const knownBy = (isTried: boolean): Set<string> =>
    new Set(
      cases
        .map((loaded) => loaded.case)
        .filter(({ id }) => asked.has(id) && tried.has(id) === isTried)
        .flatMap((tested) => tested.steps.flatMap((step) => answersOf(tested, step))),
    );
  const seen = new Set(
    records.flatMap(({ answers = {} }) =>
      Object.entries(answers).map(([question, answer]) => `${question}: ${answer}`),
    ),
  );
  const given = Object.entries(choices).map(([question, answer]) => `${question}: ${answer}`);
  const [known, elsewhere] = [knownBy(true), knownBy(false)];
  return given.filter((answer) => known.has(answer) && !elsewhere.has(answer) && !seen.has(answer));
}

/** The answers that a step knows, each with its question. */
function answersOf(tested: Case, step: Step): string[] {
  const asked = "call" in step ? step.expect : step;
  if (asked === undefined || !("answers" in asked)) return [];
  const question = questionOf(tested, (step as { question?: string }).question);
  return Object.keys(asked.answers as object).map((answer) => `${question}: ${answer}`);
}

/** The first habits of a list that give the same answer to each open question; later ones that contradict are left out. */
export function compatible(habits: readonly Tolerance[]): Tolerance[] {
  const given = new Map<string, string>();
  return habits.filter(({ choices }) => {
    const answers = Object.entries(choices);
    if (answers.some(([question, answer]) => (given.get(question) ?? answer) !== answer)) return false;
    for (const [question, answer] of answers) given.set(question, answer);
    return true;
  });
}

/** True if a habit acts in a case, or changes the answer to an open question that the case relies on. */
function concerns({ mutation, choices }: Tolerance, { case: tested }: LoadedCase, trace: Trace | undefined): boolean {
  const questions = [...tested.requirements, ...(tested.assumes ?? [])];
  return (trace !== undefined && actsOn(mutation, trace, tested)) || questions.some((id) => Object.hasOwn(choices, id));
}

function faultsOf(
  name: string,
  records: readonly CaseRecord[],
  { exit_code, notes }: Pick<Summary, "exit_code" | "notes">,
  misses: readonly string[],
): string[] {
  const bad = records.filter(
    ({ id, level, verdict }) =>
      verdict === "fail" && (level === "must" || (level === "should" && !misses.includes(id))),
  );
  const broken = exit_code === EXIT.failed ? notes : [];
  if (bad.length === 0 && !conclude(records, broken, 0).conformant)
    return [`${name} is not conformant: ${[...notes, ...records.flatMap(endedEarly)].join("; ")}`];
  return bad.map(({ id, failures }) => `${name} ${id}: expected ${failures[0]?.wanted}, got ${failures[0]?.got}`);
}

/** A case that ended without a judgement, with the reason. */
function endedEarly({ id, level, verdict, reason = "" }: CaseRecord): string[] {
  const isEnded = level === "must" && !["pass", "fail", "inapplicable"].includes(verdict);
  return isEnded ? [`${id}: ${verdict} ${reason}`] : [];
}

function tolerant(inner: Adapter, { mutation, choices }: Tolerance): Adapter {
  const changed = mutate(inner, mutation);
  return {
    async handle(request) {
      const answer = await changed.handle(request);
      return "choices" in answer ? { ...answer, choices: { ...answer.choices, ...choices } } : answer;
    },
  };
}
