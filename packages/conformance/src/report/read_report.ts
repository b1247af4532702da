import { EXIT } from "@perdura/cli/exit_codes.js";
import { readFileSync } from "node:fs";
import { violations } from "../values/schemas.ts";
import { suiteVersion } from "../package_root.ts";
import { escapeControls } from "../values/escape.ts";
import { parseJson } from "../values/parse_json.ts";
import { VERDICTS } from "../results/record.ts";
import type { CaseRecord, EndRecord, ReportRecord } from "../results/record.ts";

/** Thrown for a report file that is unreadable, damaged or incomplete. */
export class ReportFileError extends Error {}

/**
 * Reads a `report.ndjson` strictly: every line must be a JSON record of this format, the records must be in order, and
 * the counts of the judgement must match the cases.
 * @throws {ReportFileError} naming the file and the line.
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { implementationAdapter, readReport, runSuite } from "@perdura/conformance";
 *
 * const { records } = await runSuite({ adapter: implementationAdapter("perdura-15"), cases: ["state/delete"] });
 * writeFileSync("report.ndjson", records.map((record) => `${JSON.stringify(record)}\n`).join(""));
 * console.log(readReport("report.ndjson").length === records.length); // true
 * ```
 */
export function readReport(file: string): ReportRecord[] {
  const text = readText(file);
  if (text === "") throw new ReportFileError(`${file}: the file is empty; a report has at least two lines`);
  const lines = text.split("\n");
  const cutOff = lines.pop() !== "";
  const records = lines.map((line, index) => parseRecord(line, `${file}, line ${index + 1}`, lines[0] as string));
  if (cutOff) {
    throw new ReportFileError(
      `${file}, line ${lines.length + 1}: the report is truncated: its last line has no line feed`,
    );
  }
  const fault = incompleteness(records);
  if (fault) throw new ReportFileError(`${file}, line ${fault.line}: ${fault.what}`);
  return records;
}

function readText(file: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new ReportFileError(`${file}: the report cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ReportFileError(`${file}: the file is not UTF-8, so it is not a report`, { cause: error });
  }
}

function parseRecord(line: string, place: string, first: string): ReportRecord {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch (error) {
    throw new ReportFileError(`${place}: the line is not JSON: ${escapeControls((error as Error).message)}`, {
      cause: error,
    });
  }
  const faults = violations("report", value);
  if (faults.length === 0) return value as ReportRecord;
  throw new ReportFileError(`${place}: not a record of a report: ${faults.join("; ")}${otherVersion(first)}`);
}

/** Addition to an error: a report of another version of the suite may have other records. */
function otherVersion(first: string): string {
  const suite = /"suite":"([0-9A-Za-z.+-]{1,50})"/.exec(first)?.[1];
  return suite === undefined || suite === suiteVersion()
    ? ""
    : `. The report was written by version ${suite} of the suite, and this is ${suiteVersion()}: read it with version ${suite}`;
}

/** A fault of a stream, with its line, from 1. */
interface StreamFault {
  line: number;
  what: string;
}

const ORDER = ["run", "requirement", "case", "end", "timing"] as const;

/**
 * The first fault in the order or completeness of a stream of valid records: a missing, repeated or misplaced kind of
 * record, ids out of order, a requirement without a record, or counts that do not match.
 */
function incompleteness(records: readonly ReportRecord[]): StreamFault | undefined {
  return orderFault(records) ?? idFault(records) ?? countFault(records);
}

function orderFault(records: readonly ReportRecord[]): StreamFault | undefined {
  let before = -1;
  for (const [index, { record }] of records.entries()) {
    const rank = ORDER.indexOf(record);
    const line = index + 1;
    if (index === 0 && rank !== 0) return { line, what: `expected the first record to be "run", got "${record}"` };
    if (rank < before) return { line, what: `a "${record}" record must not follow a "${ORDER[before]}" record` };
    if (rank === before && record !== "requirement" && record !== "case")
      return { line, what: `there is a second "${record}" record` };
    before = rank;
  }
  for (const kind of ["end", "timing"] as const) {
    if (!records.some(({ record }) => record === kind))
      return { line: records.length, what: `the report is incomplete: it ends without its "${kind}" record` };
  }
  return undefined;
}

function idFault(records: readonly ReportRecord[]): StreamFault | undefined {
  const known = new Set<string>();
  let last = "";
  for (const [index, record] of records.entries()) {
    const line = index + 1;
    if (record.record === "requirement") {
      if (known.has(record.id)) return { line, what: `the requirement ${record.id} occurs twice` };
      known.add(record.id);
    }
    if (record.record !== "case") continue;
    if (record.id <= last)
      return { line, what: `the cases must be in the order of their ids, but ${record.id} follows ${last}` };
    last = record.id;
    const unknown = record.requirements.find((id) => !known.has(id));
    if (unknown !== undefined)
      return { line, what: `the case ${record.id} cites the requirement ${unknown}, which is missing from the report` };
  }
  return undefined;
}

function countFault(records: readonly ReportRecord[]): StreamFault | undefined {
  const line = records.findIndex(({ record }) => record === "end") + 1;
  const end = records[line - 1] as EndRecord;
  const cases = records.filter((record): record is CaseRecord => record.record === "case");
  for (const verdict of VERDICTS) {
    const there = cases.filter((record) => record.verdict === verdict).length;
    if (there !== end.counts[verdict])
      return { line, what: `the end record counts ${end.counts[verdict]} ${verdict}, but the report has ${there}` };
  }
  // A case file without a verdict is a fault of the suite, which the run has already reported.
  if (end.exit_code !== EXIT.failed && end.case_files !== cases.length)
    return {
      line,
      what: `the end record counts ${end.case_files} case files, but the report has ${cases.length} cases`,
    };
  return undefined;
}
