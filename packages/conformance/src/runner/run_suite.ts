import { EXIT } from "@perdura/cli/exit_codes.js";
import { suggestion } from "@perdura/cli/suggestion.js";
import { readCorpus } from "../corpus/corpus.ts";
import { walkCaseFiles, type LoadedCase } from "../corpus/load_cases.ts";
import type { Requirement } from "../corpus/requirements.ts";
import {
  deviationsOf,
  expectationOf,
  listAfter,
  type Deviation,
  type ExpectationContext,
  type ExpectedFailure,
} from "./expected_failures.ts";
import { nodeFault } from "./node_version.ts";
import { suiteVersion } from "../package_root.ts";
import type { Introduction } from "../protocol/messages.ts";
import type { CaseRecord, ReportRecord, RunRecord, TimingRecord } from "../results/record.ts";
import { count } from "../results/conclusion.ts";
import { summarise } from "../results/summary.ts";
import { accountingFaults, conclude, countVerdicts } from "./accounting.ts";
import { judgeCases } from "./judge_cases.ts";
import { isSelected, unknownNames } from "./selection.ts";
import {
  LineMismatch,
  MistypedChoice,
  UnknownSelection,
  type SuiteOptions,
  type SuiteResult,
} from "./suite_options.ts";
import { onLine } from "../corpus/version_range.ts";
import { Worker } from "./worker.ts";

/**
 * Judges one implementation by the cases of this suite.
 * @throws {LineMismatch} when the adapter does not implement the requested `line`.
 * @throws {UnknownSelection} when a selected case, area or requirement does not exist.
 * @throws {MistypedChoice} when the adapter declares an unknown open question, or nearly a known answer.
 * @throws {Error} when Node.js is too old, the corpus is invalid, or several workers are requested for an adapter in
 * this process.
 * @example
 * ```ts
 * import { implementationAdapter, runSuite } from "@perdura/conformance";
 *
 * const { summary } = await runSuite({ adapter: implementationAdapter("perdura-16"), areas: ["versioning"] });
 * console.log(summary.counts.pass, summary.exit_code); // 11 0
 * ```
 */
export async function runSuite(options: SuiteOptions): Promise<SuiteResult> {
  const began = new Date();
  const unfit = nodeFault() ?? workersFault(options);
  if (unfit !== undefined) throw new Error(unfit);
  const { folders, requirements, cases, shared } = readCorpus(options.corpus);
  const unknown = unknownNames(options, cases, requirements);
  if (unknown.length > 0) throw new UnknownSelection(unknown.join(" "));

  const notes: string[] = [];
  const settings = {
    adapter: options.adapter,
    line: options.line ?? "",
    timeoutMs: options.timeoutMs ?? 10_000,
    signal: options.signal,
    shared,
    keep: options.keep,
    notes,
  };
  const records: ReportRecord[] = [];
  const tell = (record: ReportRecord): void => {
    records.push(record);
    options.onRecord?.(record);
  };
  const workers: Worker[] = [];
  const judged: CaseRecord[] = [];
  const times: Record<string, number> = {};
  let deviations: Deviation[] = [];
  let expectedFailures: ExpectedFailure[] = [];
  let left = 0;
  try {
    const first = await Worker.start(settings);
    if (first) workers.push(first);
    const introduction = first?.introduction;
    const version = introduction === undefined ? "" : judgedVersion(introduction, options.line);
    assertChoices(introduction?.choices ?? {}, requirements);
    if (!cases.some((loaded) => isSelected(loaded, options))) notes.push("nothing was run: no case is selected");
    tell(runRecord(options, introduction, version));
    for (const row of requirements.values()) tell({ record: "requirement", ...row });
    const more = first ? (options.workers ?? 1) - 1 : 0;
    for (let number = 0; number < more; number += 1) {
      const next = await Worker.start(settings);
      if (next) workers.push(next);
    }
    const context = {
      cases,
      requirements,
      selection: options,
      profile: options.profile,
      seed: options.seed ?? null,
      runs: options.runs,
      version,
      capabilities: introduction?.capabilities ?? [],
      inapplicable: introduction?.inapplicable ?? {},
      choices: introduction?.choices ?? {},
      signal: options.signal,
    };
    const expectations = expectationsOf(options, cases, version, began);
    await judgeCases(workers, context, ({ record, took, isInterrupted }) => {
      if (isInterrupted) left += 1;
      if (took !== undefined) times[record.id] = took;
      const expected = expectationOf(record, expectations);
      const reported = expected ? { ...record, expected } : record;
      judged.push(reported);
      tell(reported);
    });
    deviations = deviationsOf(judged, expectations);
    expectedFailures = listAfter(judged, { ...expectations, entries: options.formerList ?? expectations.entries });
  } finally {
    for (const worker of workers) await worker.close();
  }
  if (workers.length > 0 && judged.every(({ verdict }) => verdict === "inapplicable" || verdict === "not-run"))
    notes.push("nothing was run: no selected case applies");
  if (left > 0) notes.push(`the run was interrupted: ${count(left, "case was", "cases were")} not run`);
  const files = walkCaseFiles(folders.cases);
  const faults = accountingFaults(judged, files);
  tell({
    record: "end",
    counts: countVerdicts(judged),
    case_files: files.length,
    ...conclude(judged, faults, deviations.length),
    ...(left > 0 ? { exit_code: EXIT.interrupted } : {}),
    notes: [...notes, ...faults],
    unexpected: deviations,
  });
  tell(timing(began, times));
  return { summary: summarise(records), cases: judged, expectedFailures, records };
}

function expectationsOf(
  options: SuiteOptions,
  cases: readonly LoadedCase[],
  version: string,
  began: Date,
): ExpectationContext {
  const today = options.today ?? began.toISOString().slice(0, 10);
  return { cases, entries: options.expectedFailures ?? [], version, today };
}

/** The version of the adapter, which must be on the requested line. */
function judgedVersion({ spec_version: served }: Introduction, line: string | undefined): string {
  if (line === undefined || line === "" || onLine(served, line)) return served;
  throw new LineMismatch(`--line ${line} was requested, but the adapter implements ${served}.`);
}

/**
 * A misspelt open question would be ignored silently, and a misspelt answer would be taken for another one in words.
 *
 * @throws {MistypedChoice} that names each, with what was probably meant.
 */
function assertChoices(choices: Record<string, string>, requirements: ReadonlyMap<string, Requirement>): void {
  const questions = [...requirements.values()].filter(({ level }) => level === "observe").map(({ id }) => id);
  const faults = Object.entries(choices).flatMap(([id, choice]) => {
    const row = requirements.get(id);
    if (row?.level !== "observe") return [`${id} is not an open question.${suggestion(id, questions)}`];
    const answers = ["ruled", ...Object.keys(row.answers ?? {})];
    // Words are free. A single word that is nearly a known answer is not meant as one.
    const meant = answers.includes(choice) || /\s/.test(choice) ? "" : suggestion(choice, answers);
    return meant === "" ? [] : [`${id} has no answer ${JSON.stringify(choice)}.${meant}`];
  });
  if (faults.length > 0)
    throw new MistypedChoice(`The adapter declares a choice that does not exist: ${faults.join(" ")}`);
}

function workersFault({ adapter, workers = 1 }: SuiteOptions): string | undefined {
  if (!Number.isInteger(workers) || workers < 1)
    return `workers: expected a whole number of at least 1, got ${workers}`;
  return workers > 1 && adapter.transport === "in-process"
    ? "workers: an adapter in this process runs one case at a time; use a command to run several"
    : undefined;
}

/** First line of a report. */
function runRecord(options: SuiteOptions, introduction: Introduction | undefined, version: string): RunRecord {
  return {
    record: "run",
    format: 1,
    suite: suiteVersion(),
    adapter: options.adapter.name,
    transport: options.adapter.transport,
    option: options.adapter.option,
    line: options.line ?? "",
    spec_version: version === "" ? null : version,
    implementation: introduction?.implementation ?? null,
    capabilities: introduction?.capabilities ?? [],
    ...(introduction?.inapplicable === undefined ? {} : { inapplicable: introduction.inapplicable }),
    choices: introduction?.choices ?? {},
    profile: options.profile?.name ?? null,
    seed: options.seed ?? null,
    ...(options.runs === undefined ? {} : { runs: options.runs }),
    ...(options.timeoutMs === undefined ? {} : { timeout_s: options.timeoutMs / 1000 }),
    ...(options.corpus === undefined ? {} : { cases: options.corpus.cases }),
  };
}

/** Last line of a report: all data in which two runs may differ. */
function timing(began: Date, cases: Record<string, number>): TimingRecord {
  return {
    record: "timing",
    started_at: began.toISOString(),
    duration_ms: Date.now() - began.getTime(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    cases,
  };
}
