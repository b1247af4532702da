import { tmpdir } from "node:os";
import { readCorpus } from "../corpus/corpus.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import { LINE_IMPLEMENTATIONS, loadAdapter } from "../implementations.ts";
import type { ImplementationName } from "../implementations.ts";
import { openCopy } from "../inspect/database_copy.ts";
import { inProcessAdapter } from "../protocol/in_process.ts";
import type { Adapter } from "../protocol/messages.ts";
import type { CaseRecord } from "../report/record.ts";
import type { Summary } from "../report/summary.ts";
import { conclude } from "../runner/accounting.ts";
import { runSuite } from "../runner/run_suite.ts";
import type { SuiteResult } from "../runner/suite_options.ts";
import { mutate } from "./mutants/mutations.ts";
import type { Mutation } from "./mutants/mutations.ts";
import { PATIENT_MS, selfCheck } from "./self_check.ts";
import type { SelfCheck } from "./self_check.ts";
import { TOLERANCES } from "./tolerances.ts";
import type { Tolerance } from "./tolerances.ts";

/** What a case asked an implementation for, as far as a mutation can act on it. */
interface Trace {
  operations: Set<string>;
  /** Names of the tables in each database, every time that the suite was about to look. */
  databases: Set<unknown>[];
}

/** Leaves an implementation as it is and notes what each case asks of it, by the id of the case. */
function traced(inner: Adapter, traces: Map<string, Trace>): Adapter {
  let trace: Trace = { operations: new Set(), databases: [] };
  const watched = mutate(inner, {
    before(request) {
      trace.operations.add(request.op);
      return request;
    },
    settled: (databases) => void trace.databases.push(...databases.map(tablesOf)),
  });
  return {
    handle(request) {
      if (request.type === "begin") {
        trace = { operations: new Set(), databases: [] };
        traces.set(request.case, trace);
      }
      return watched.handle(request);
    },
  };
}

/** Looks into a copy: to open the database itself can add a log to it, or end one. */
function tablesOf(path: string): Set<unknown> {
  const database = openCopy(path, tmpdir());
  try {
    return new Set(database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name));
  } finally {
    database.close();
  }
}

/**
 * True where a mutation has something to change. Until it changes something for the first time, a case goes as it does
 * without it: a mutation that finds nothing to act on in such a run never acts in this case.
 */
function actsOn({ op, table, before, answer, settled }: Mutation, { operations, databases }: Trace): boolean {
  const asked = op === undefined ? operations.size > 0 : operations.has(op);
  const written = databases.some((tables) => table === undefined || tables.has(table));
  return ((before !== undefined || answer !== undefined) && asked) || (settled !== undefined && written);
}

const PART = "tolerant implementations";

/** A run of the whole suite on a line without any habit, and what each case asked of it. */
export interface PlainRun {
  name: ImplementationName;
  result: SuiteResult;
  traces: ReadonlyMap<string, Trace>;
}

/** Judges a line without any habit. */
export async function runPlainly(name: ImplementationName): Promise<PlainRun> {
  const traces = new Map<string, Trace>();
  const adapter = inProcessAdapter(name, async () => traced(await loadAdapter(name), traces));
  return { name, result: await runSuite({ adapter, timeoutMs: PATIENT_MS }), traces };
}

/** Both lines with every tolerated habit. */
export async function* checkTolerances(): AsyncGenerator<SelfCheck> {
  const plain: PlainRun[] = [];
  for (const name of LINE_IMPLEMENTATIONS) plain.push(await runPlainly(name));
  yield* checkHabits(plain, TOLERANCES);
}

/**
 * Every habit, in these lines, must pass every must: the guard against cases that are too strict. Cases in which a habit
 * cannot act keep the verdict that they have without it.
 */
export async function* checkHabits(
  plain: readonly PlainRun[],
  tolerances: readonly Tolerance[],
): AsyncGenerator<SelfCheck> {
  for (const { name, result } of plain)
    yield selfCheck(PART, `${name} without a habit`, ...faultsOf(name, result.cases, result.summary));
  for (const tolerance of tolerances) {
    const faults: string[] = [];
    for (const run of plain) faults.push(...(await tolerate(run, tolerance)));
    yield selfCheck(PART, tolerance.name, faults.slice(0, 3).join("\n    "));
  }
}

/** Runs the cases that a habit concerns, and judges the line by these and all others. */
async function tolerate({ name, result, traces }: PlainRun, tolerance: Tolerance): Promise<string[]> {
  const concerned = readCorpus()
    .cases.filter((loaded) => concerns(tolerance, loaded, traces.get(loaded.case.id)))
    .map((loaded) => loaded.case.id);
  if (concerned.length === 0) return [`no case of ${name} can show this habit`];
  const adapter = inProcessAdapter(name, async () => tolerant(await loadAdapter(name), tolerance));
  const { cases, summary } = await runSuite({ adapter, cases: concerned, timeoutMs: PATIENT_MS });
  const again = new Map(cases.filter(({ id }) => concerned.includes(id)).map((record) => [record.id, record]));
  const all = result.cases.map((record) => again.get(record.id) ?? record);
  return faultsOf(name, all, summary);
}

/** True where a habit acts in a case, or gives its own answer to an open question that the case rests on. */
function concerns({ mutation, choices }: Tolerance, { case: tested }: LoadedCase, trace: Trace | undefined): boolean {
  const questions = [...tested.requirements, ...(tested.assumes ?? [])];
  return (trace !== undefined && actsOn(mutation, trace)) || questions.some((id) => Object.hasOwn(choices, id));
}

function faultsOf(name: string, records: readonly CaseRecord[], { exit_code, notes }: Summary): string[] {
  const bad = records.filter((record) => record.level === "must" && record.verdict === "fail");
  const broken = exit_code === 1 ? notes : [];
  if (bad.length === 0 && !conclude(records, broken, 0).conformant)
    return [`${name} is not conformant: ${notes.join("; ")}`];
  return bad.map(({ id, failures }) => `${name} ${id}: wanted ${failures[0]?.wanted}, got ${failures[0]?.got}`);
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
