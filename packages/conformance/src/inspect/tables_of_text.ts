import { join } from "node:path";
import type { Check } from "../corpus/case.ts";
import type { Scope } from "../matching/scope.ts";
import type { JsonValue } from "../values/json_value.ts";
import { readStrictJson } from "../values/strict_json.ts";
import { checkParts } from "./findings.ts";
import type { Finding } from "./findings.ts";
import { missing, readIfFile } from "./text_files.ts";

const fault = (problem: string, wanted: string, at = ""): Finding => ({ at, wanted, got: problem });

/**
 * Inspects a CSV file that the implementation wrote (RFC 4180, UTF-8). The checks see `{"header": [name, …], "rows":
 * [{name: text, …}, …]}`; every field is text.
 */
export function inspectCsv(file: string, checks: Check[], scope: Scope): Finding[] {
  const bytes = readIfFile(join(scope.directory, file));
  if (!bytes) return [missing(file)];
  const wanted = "a CSV file according to RFC 4180";
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) return [fault("the file is not UTF-8", wanted)];
  if (text.startsWith("\uFEFF")) return [fault("the file begins with a byte order mark", wanted)];
  const { records, problems } = readCsv(text);
  const [header, ...rows] = records;
  if (header === undefined) problems.push("no header");
  else if (new Set(header).size < header.length) problems.push(`a name occurs twice in the header ${header.join(",")}`);
  const uneven = rows.findIndex((row) => row.length !== header?.length);
  if (uneven !== -1)
    problems.push(`record ${uneven + 2} has ${rows[uneven]?.length} fields, the header ${header?.length}`);
  if (problems.length > 0) return problems.map((problem) => fault(problem, wanted));
  const named = rows.map((row) => Object.fromEntries(row.map((field, index) => [header?.[index] as string, field])));
  return checkParts(checks, { header: header as string[], rows: named }, scope);
}

/** Inspects a JSON Lines file that the implementation wrote; the checks see the array of its values. */
export function inspectJsonLines(file: string, checks: Check[], scope: Scope): Finding[] {
  const bytes = readIfFile(join(scope.directory, file));
  if (!bytes) return [missing(file)];
  const values: JsonValue[] = [];
  const faults: Finding[] = [];
  for (const [index, line] of linesOf(bytes).entries()) {
    const { value, problems } = readStrictJson(line);
    faults.push(...problems.map((problem) => fault(problem, "a JSON value on each line", `/${index}`)));
    values.push(value ?? null);
  }
  return faults.length > 0 ? faults : checkParts(checks, values, scope);
}

/** The last line end is optional; an empty line counts as a line, which is not JSON. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed === -1 ? bytes.length : feed;
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** Records of a CSV file (RFC 4180), up to the first fault. */
interface CsvReading {
  records: string[][];
  /** Faults that other programs may read differently, each in one sentence. */
  problems: string[];
}

/** A field: quoted, with doubled quotes inside; or bare. */
const QUOTED = /"([^"]*(?:""[^"]*)*)"/y;
const BARE = /[^",\r\n]*/y;

/**
 * Reads CSV according to RFC 4180: commas, CRLF line ends (the last one is optional), quotes around fields that contain
 * a comma, a quote or a line end.
 * @example readCsv('a,b\r\n1,"x ""y"""\r\n').records // [["a", "b"], ["1", 'x "y"']]
 */
export function readCsv(text: string): CsvReading {
  const records: string[][] = [];
  let record: string[] = [];
  let position = 0;
  const stop = (problem: string): CsvReading => ({ records, problems: [`record ${records.length + 1}: ${problem}`] });
  const take = (field: RegExp): RegExpExecArray | null => {
    field.lastIndex = position;
    const found = field.exec(text);
    if (found) position = field.lastIndex;
    return found;
  };
  while (position < text.length) {
    if (text[position] === '"') {
      const quoted = take(QUOTED);
      if (!quoted) return stop("a quoted field is not closed");
      record.push((quoted[1] as string).replaceAll('""', '"'));
    } else {
      record.push((take(BARE) as RegExpExecArray)[0]);
    }
    if (text[position] === ",") {
      position += 1;
      // A comma at the end of the text starts another field.
      if (position === text.length) record.push("");
      else continue;
    }
    if (position < text.length && !text.startsWith("\r\n", position))
      return stop(`${strayPart(text, position)} in field ${record.length}`);
    position += 2;
    records.push(record);
    record = [];
  }
  return { records, problems: [] };
}

function strayPart(text: string, position: number): string {
  if (text[position] === "\n" || text[position] === "\r") return "a line end other than CRLF";
  return text[position] === '"' ? "an unexpected quote" : "text after a quoted field";
}
