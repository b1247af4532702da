/**
 * Judges implementations of the persistence layer for AI agents, in any language.
 * @example
 * ```ts
 * import { implementationAdapter, runSuite, summarise } from "@perdura/conformance";
 *
 * const { records, summary } = await runSuite({ adapter: implementationAdapter("perdura-16"), areas: ["export"] });
 * console.log(summary.counts.fail, summarise(records).exit_code); // 0 0
 * ```
 *
 * @module
 */
export { runSuite } from "./runner/run_suite.ts";
export type { SuiteOptions, SuiteResult } from "./runner/suite_options.ts";
export type { Selection } from "./runner/selection.ts";
export { implementationAdapter, IMPLEMENTATIONS } from "./implementations.ts";
export type { ImplementationName } from "./implementations.ts";
export { inProcessAdapter } from "./protocol/in_process.ts";
export { commandAdapter } from "./protocol/stdio.ts";
export { serveStdio } from "./protocol/serve_stdio.ts";
export type { AdapterSource } from "./protocol/channel.ts";
export type { Adapter, Answer, DumpedDatabase, ErrorKind, Introduction, Request } from "./protocol/messages.ts";
export { PROTOCOL } from "./protocol/messages.ts";
export { terminalReport } from "./report/terminal.ts";
export type { TerminalStyle } from "./report/terminal.ts";
export type { Breakage } from "./matrix/peer.ts";
export type { Channel } from "./protocol/channel.ts";
export type { Cell } from "./inspect/findings.ts";
export type { CorpusFolders } from "./corpus/load_cases.ts";
export type { JsonObject, JsonValue, TaggedNumber } from "./values/json_value.ts";
export type { Score } from "./results/conclusion.ts";
export { JUDGED_AS } from "./judge_file/file_report.ts";
export { checkFile, UnfitFile } from "./judge_file/check_file.ts";
export type { CheckFileOptions } from "./judge_file/check_file.ts";
export { loadRequirements } from "./corpus/requirements.ts";
export { fileReportText } from "./judge_file/file_report_text.ts";
export type { FileFinding, FileKind, FileReport, JudgedAs, Line } from "./judge_file/file_report.ts";
export { runMatrix } from "./matrix/run_matrix.ts";
export type { MatrixCell, MatrixMember, MatrixResult } from "./matrix/run_matrix.ts";
export { matrixText } from "./matrix/show_matrix.ts";
export { exportCases } from "./export/export_cases.ts";
export type { ExportResult } from "./export/export_cases.ts";
export { loadProfile, profileNames } from "./corpus/load_profile.ts";
export type { Profile } from "./corpus/load_profile.ts";
export { readExpectedFailures } from "./runner/expected_failures.ts";
export type { ExpectedFailure } from "./runner/expected_failures.ts";
export { LineMismatch, UnknownSelection } from "./runner/suite_options.ts";
export { FORMATS, renderReport } from "./report/formats.ts";
export type { Format } from "./report/formats.ts";
export { readReport, ReportFileError } from "./report/read_report.ts";
export type { MatrixOptions } from "./report/markdown.ts";
export type { RequirementRecord, TimingRecord } from "./results/record.ts";
export { summarise } from "./results/summary.ts";
export type { Summary } from "./results/summary.ts";
export { VERDICTS } from "./results/record.ts";
export type {
  CaseRecord,
  EndRecord,
  Expected,
  Failure,
  JudgementCode,
  RunCode,
  ReportRecord,
  RunRecord,
  Verdict,
} from "./results/record.ts";
export type { Level, Requirement } from "./corpus/requirements.ts";
