import { readFileSync } from "node:fs";
import { violations } from "../corpus/schemas.ts";
import { suiteVersion } from "../package_root.ts";
import type { ReportRecord } from "./record.ts";
import { incompleteness } from "./report_order.ts";
import { escapeControls } from "../values/escape.ts";
import { parseJson } from "../values/parse_json.ts";

/** A report file that cannot be read, is damaged, or was not written to its end. */
export class ReportFileError extends Error {}

/**
 * Reads a `report.ndjson` strictly: every line must be JSON and a record of this format, in the right order, and the
 * counts of the judgement must be those of the cases.
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
      `${file}, line ${lines.length + 1}: the line is cut off, it has no line feed at its end; the report was not written to its end`,
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
    throw new ReportFileError(`${file}: the file is not UTF-8, so it is no report`, { cause: error });
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
  throw new ReportFileError(`${place}: this is no record of a report: ${faults.join("; ")}${otherVersion(first)}`);
}

/** A report of another version of the suite may well have other records: then that is the thing to say. */
function otherVersion(first: string): string {
  const suite = /"suite":"([0-9A-Za-z.+-]+)"/.exec(first)?.[1];
  return suite === undefined || suite === suiteVersion()
    ? ""
    : `. It was written by version ${suite} of the suite, and this is ${suiteVersion()}: use the same version to read it`;
}
