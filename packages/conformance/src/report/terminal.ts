import { escapeControls } from "../values/escape.ts";
import { VERDICTS } from "./record.ts";
import type { CaseRecord, EndRecord, ReportRecord, RunRecord } from "./record.ts";

/** How the text is drawn. */
export interface TerminalStyle {
  /** ANSI colours. */
  colour: boolean;
}

const BAD = new Set(["fail", "crash", "timeout", "protocol-error", "harness-error", "unsupported"]);

/**
 * The report for a reader at a terminal: a pure function of the records.
 * @example process.stdout.write(terminalReport(result.records, { colour: false }));
 */
export function terminalReport(records: readonly ReportRecord[], style: TerminalStyle): string {
  const run = records.find((record): record is RunRecord => record.record === "run");
  const end = records.find((record): record is EndRecord => record.record === "end");
  const cases = records.filter((record): record is CaseRecord => record.record === "case");
  const paint = (text: string, code: number): string => (style.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const lines: string[] = [];
  if (run) lines.push(headline(run), "");
  for (const record of cases.filter(isWorthTelling)) lines.push(...caseBlock(record, run, paint), "");
  const different = cases.filter((record) => record.verdict === "observed" && record.as_ruled === false);
  for (const record of different) {
    lines.push(`observed differently  ${record.id}  ${record.requirements.map((row) => row.id).join(", ")}`);
  }
  if (different.length > 0) lines.push("");
  if (end) lines.push(...closing(end, cases, paint));
  return `${lines.join("\n")}\n`;
}

function headline(run: RunRecord): string {
  const subject = run.implementation
    ? `${run.implementation.name} ${run.implementation.version} (${run.implementation.language}, ${run.transport})`
    : run.adapter;
  return escapeControls(
    `perdura-conformance ${run.suite}: ${subject}, judged by specification ${run.spec_version ?? "(unknown)"}`,
  );
}

function isWorthTelling(record: CaseRecord): boolean {
  return BAD.has(record.verdict) && (record.scored || record.verdict !== "unsupported");
}

function caseBlock(
  record: CaseRecord,
  run: RunRecord | undefined,
  paint: (text: string, code: number) => string,
): string[] {
  const note = record.scored ? "" : " (not scored)";
  const lines = [
    `${paint(record.verdict.toUpperCase(), record.scored ? 31 : 33)} ${record.id}${note}: ${record.title}`,
  ];
  for (const row of record.requirements)
    lines.push(entry("requirement", `${row.id}, section ${row.section}, ${record.level}: ${row.statement}`));
  if (record.reason !== undefined) lines.push(entry("reason", record.reason));
  for (const failure of record.failures) {
    const place = [
      `step ${failure.step}`,
      failure.where,
      failure.check === undefined ? "" : `check ${failure.check}`,
      failure.at === "" ? "" : `at ${failure.at}`,
    ];
    lines.push(entry("where", place.filter((part) => part !== "").join(", ")));
    lines.push(entry("wanted", failure.wanted), entry("got", failure.got));
  }
  if (record.diagnostics !== undefined && record.diagnostics !== "") {
    lines.push(
      entry(
        "stderr",
        record.diagnostics.trimEnd().split("\n").slice(-8).map(escapeControls).join("\n                "),
      ),
    );
  }
  if (run) lines.push(entry("again", repeatCommand(run, record.id)));
  return lines;
}

function entry(label: string, text: string): string {
  const safe = label === "stderr" ? text : escapeControls(text);
  return `  ${label.padEnd(12)}  ${safe}`;
}

/** The command that judges one case once more. */
function repeatCommand(run: RunRecord, id: string): string {
  return `perdura-conformance run ${run.option}${run.line === "" ? "" : ` --line ${run.line}`} --case ${id}`;
}

function closing(end: EndRecord, cases: CaseRecord[], paint: (text: string, code: number) => string): string[] {
  const counts = VERDICTS.filter((verdict) => end.counts[verdict] > 0).map(
    (verdict) => `${end.counts[verdict]} ${verdict}`,
  );
  const lines = end.notes.map((note) => `note: ${escapeControls(note)}`);
  lines.push(`${end.case_files} cases: ${counts.join(", ")} (${(end.duration_ms / 1000).toFixed(1)} s)`);
  const missing = cases.filter(
    (record) => record.level === "must" && (record.verdict === "not-run" || record.verdict === "unsupported"),
  ).length;
  const others = cases.filter((record) => record.scored && record.level !== "must" && BAD.has(record.verdict)).length;
  const but = others === 0 ? "" : `, but ${others} other scored cases did not pass`;
  if (end.conformant)
    lines.push(paint(`conformant: every must passed and none was left out${but}`, others === 0 ? 32 : 33));
  else if (end.exit_code === 3) lines.push(paint("no judgement: nothing was run, or the suite itself is at fault", 33));
  else if (end.exit_code === 0 && missing > 0) lines.push(`not judged as a whole: ${missing} must cases were not run`);
  else lines.push(paint("not conformant", 31));
  return lines;
}
