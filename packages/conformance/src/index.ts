/**
 * Judges implementations of the persistence layer for AI agents, in any language.
 * @example
 * import { implementationAdapter, runSuite, terminalReport } from "@perdura/conformance";
 * const { records, summary } = await runSuite({ adapter: implementationAdapter("perdura-16") });
 * process.stdout.write(terminalReport(records, { colour: false }));
 * process.exitCode = summary.exit_code;
 */
export { runSuite, LineMismatch } from "./runner/run_suite.ts";
export type { SuiteOptions, SuiteResult } from "./runner/run_suite.ts";
export type { Selection } from "./runner/selection.ts";
export { implementationAdapter, IMPLEMENTATIONS } from "./implementations.ts";
export type { ImplementationName } from "./implementations.ts";
export { inProcessAdapter } from "./protocol/in_process.ts";
export { commandAdapter } from "./protocol/stdio.ts";
export { serveStdio } from "./protocol/serve_stdio.ts";
export type { AdapterSource } from "./protocol/channel.ts";
export type { Adapter, Answer, ErrorKind, Introduction, Request } from "./protocol/messages.ts";
export { PROTOCOL } from "./protocol/messages.ts";
export { terminalReport } from "./report/terminal.ts";
export type { TerminalStyle } from "./report/terminal.ts";
export { summarise } from "./report/summary.ts";
export type { Summary } from "./report/summary.ts";
export { VERDICTS } from "./report/record.ts";
export type { CaseRecord, EndRecord, Failure, ReportRecord, RunRecord, Verdict } from "./report/record.ts";
export type { Level, Requirement } from "./corpus/requirement.ts";
