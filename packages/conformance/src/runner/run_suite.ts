import { loadCases, loadSharedData, shippedCorpus, walkCaseFiles } from "../corpus/load_cases.ts";
import type { CorpusFolders } from "../corpus/load_cases.ts";
import { loadRequirements } from "../corpus/load_requirements.ts";
import { AdapterFault } from "../protocol/channel.ts";
import type { AdapterSource } from "../protocol/channel.ts";
import type { CaseRecord, EndRecord, ReportRecord, RunRecord } from "../report/record.ts";
import { summarise } from "../report/summary.ts";
import type { Summary } from "../report/summary.ts";
import { nodeFault } from "../node_version.ts";
import { suiteVersion } from "../package_root.ts";
import { accountingFaults, conclude, countVerdicts } from "./accounting.ts";
import { judgeCases } from "./judge_cases.ts";
import { makeSandbox } from "./sandbox.ts";
import { isSelected } from "./selection.ts";
import type { Selection } from "./selection.ts";
import { Session } from "./session.ts";
import { onLine } from "./version_range.ts";

/** What {@link runSuite} takes. */
export interface SuiteOptions extends Selection {
  /** The implementation: {@link implementationAdapter}, {@link commandAdapter} or {@link inProcessAdapter}. */
  adapter: AdapterSource;
  /** Wanted major version (`"16"`) or full version (`"16.0.0-rc.1"`); without it the adapter's own. */
  line?: string;
  /** Longest wait for one answer, in milliseconds; 10 000 without it. */
  timeoutMs?: number;
  /** Called with each line of the report as soon as it is known. */
  onRecord?: (record: ReportRecord) => void;
  /** Another corpus than the shipped one. */
  corpus?: CorpusFolders & { requirements?: string };
}

/** What {@link runSuite} gives back. */
export interface SuiteResult {
  summary: Summary;
  /** One record for each case file, in the order of the ids. */
  cases: CaseRecord[];
  /** The whole report; `terminalReport` and `summarise` are functions of it. */
  records: ReportRecord[];
}

/** The line that was asked for is not the one that the adapter serves. */
export class LineMismatch extends Error {}

/**
 * Judges one implementation by the cases of this suite.
 * @throws {LineMismatch} when `line` was given and the adapter serves another.
 * @throws {Error} on a Node that is too old, and when the corpus itself is invalid.
 * @example
 * const { summary } = await runSuite({ adapter: implementationAdapter("perdura-16") });
 * console.log(summary.counts.pass, summary.conformant);
 */
export async function runSuite(options: SuiteOptions): Promise<SuiteResult> {
  const unfit = nodeFault();
  if (unfit !== undefined) throw new Error(unfit);
  const folders = options.corpus ?? shippedCorpus();
  const cases = loadCases(folders, loadRequirements(options.corpus?.requirements));
  const shared = loadSharedData(folders);
  const sandbox = makeSandbox();
  const began = Date.now();
  const records: ReportRecord[] = [];
  const tell = <R extends ReportRecord>(record: R): R => {
    records.push(record);
    options.onRecord?.(record);
    return record;
  };
  try {
    const start = (): Promise<Session> =>
      Session.open(options.adapter, {
        line: options.line ?? "",
        sandbox: sandbox.root,
        timeoutMs: options.timeoutMs ?? 10_000,
      });
    const notes: string[] = [];
    const session = await start().catch((error: unknown) => noteStart(error, notes));
    const version = session && (await wantedVersion(session, options.line));
    if (!cases.some((loaded) => isSelected(loaded, options)))
      notes.push("nothing was run: no case of this suite is selected");
    tell(runRecord(options, session, version));
    const judged: CaseRecord[] = [];
    const context = { cases, selection: options, shared, sandbox, start, notes, version: version ?? "" };
    for await (const record of judgeCases(session, context)) judged.push(tell(record));
    tell(endRecord(judged, walkCaseFiles(folders.cases), notes, began));
    return { summary: summarise(records), cases: judged, records };
  } finally {
    sandbox.remove();
  }
}

function noteStart(error: unknown, notes: string[]): undefined {
  if (!(error instanceof AdapterFault)) throw error;
  notes.push(`the adapter did not come up: ${error.kind}: ${error.message}`);
}

/** A full version that was asked for is what the cases are selected by; else what the adapter says it implements. */
async function wantedVersion(session: Session, line: string | undefined): Promise<string> {
  const { spec_version: served } = session.introduction;
  if (line === undefined || line === "") return served;
  if (onLine(served, line)) return served;
  await session.close(true);
  throw new LineMismatch(`--line ${line} was asked for, and the adapter implements ${served}`);
}

function runRecord(options: SuiteOptions, session: Session | undefined, version: string | undefined): RunRecord {
  return {
    record: "run",
    suite: suiteVersion(),
    started_at: new Date().toISOString(),
    adapter: options.adapter.name,
    transport: options.adapter.transport,
    option: options.adapter.option,
    line: options.line ?? "",
    spec_version: version ?? null,
    implementation: session?.introduction.implementation ?? null,
    capabilities: session?.introduction.capabilities ?? [],
    choices: session?.introduction.choices ?? {},
  };
}

function endRecord(judged: CaseRecord[], files: string[], notes: string[], began: number): EndRecord {
  const faults = accountingFaults(judged, files);
  return {
    record: "end",
    counts: countVerdicts(judged),
    case_files: files.length,
    ...conclude(judged, faults),
    notes: [...notes, ...faults],
    duration_ms: Date.now() - began,
  };
}
