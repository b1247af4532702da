import { describe } from "../matching/describe.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import type { CallStep, Check, Expectation, InspectStep, SqliteCheck, Step } from "./case.ts";

/** A step in a few words, as reports name it. */
export function wordsFor(step: Step): string {
  if ("call" in step) return `call ${step.call}${meanwhile(step)}`;
  if ("put" in step) return `${step.open ? "replace" : "provide"} ${step.put}${step.open ? ", with open objects" : ""}`;
  if ("remove" in step) return `remove ${step.remove}, with open objects`;
  if ("write" in step) return `write to ${step.write} as another program${step.open ? ", with open objects" : ""}`;
  if ("age" in step) return `make ${step.age} ${step.days} days older`;
  if ("next_second" in step) return "wait for the next second";
  if ("generate" in step) return `run generated sequences of ${step.generate}`;
  if ("kill" in step) return "end the adapter without a warning";
  if (!("inspect" in step)) return "settle";
  return step.inspect === "files"
    ? `list files in ${step.under ?? "the case's directory"}`
    : `inspect ${step.inspect} ${step.file}`;
}

/** The whole step for a reader: what is done, then what must hold, a line each. */
export function stepLines(step: Step): string[] {
  const words = "call" in step ? `call ${step.call}` : wordsFor(step);
  return [
    `${inVersions(step)}${repeatedly(step)}${words}${details(step)}`,
    ...wantedLines(step).map((line) => `  ${line}`),
  ];
}

/** Another writer during a call. */
function meanwhile({ locked, until }: CallStep): string {
  if (locked === undefined) return "";
  const limit = until === undefined ? "" : " until the answer, for six seconds at most";
  return ` while another program writes to ${locked}${limit}`;
}

const RANGES: Readonly<Record<string, string>> = { "<16.0.0-0": "before 16: ", ">=16.0.0-0": "from 16: " };

function inVersions({ versions }: Step): string {
  return versions === undefined ? "" : (RANGES[versions] ?? `for ${versions}: `);
}

function repeatedly(step: Step): string {
  return "times" in step && step.times !== undefined ? `for each {n} from 1 to ${step.times}: ` : "";
}

function details(step: Step): string {
  if ("call" in step) {
    const { handle, args = {}, keep } = step;
    const on = handle === undefined ? "" : ` of ${handle}`;
    const given = Object.keys(args).length === 0 ? "" : ` with ${describe(args as JsonObject)}`;
    return `${on}${given}${keep === undefined ? "" : `, kept as ${keep}`}${meanwhile(step)}`;
  }
  if ("put" in step) return `: ${contentOf(step)}`;
  if ("write" in step) return `: ${step.statements.join("; ")}`;
  return "";
}

/** The content of a file that a case provides, in one line. */
export function contentOf(step: Extract<Step, { put: string }>): string {
  if (step.text !== undefined)
    return `${step.text}${step.newline === "crlf" ? " (with CRLF line ends)" : ""}${step.mode === undefined ? "" : ` (permissions ${step.mode})`}`;
  if (step.file !== undefined) return `the file ${step.file} of the suite`;
  if (step.symlink !== undefined) return `a symbolic link to ${step.symlink}`;
  if (step.link !== undefined) return `another name of ${step.link} (a hard link)`;
  if (step.base64 !== undefined) return `the bytes ${step.base64} (base64)`;
  return `a database: ${step.sqlite?.statements.join("; ")}`;
}

function wantedLines(step: Step): string[] {
  if ("call" in step)
    return [
      ...(step.may_fail ? ["may fail, which ends the case"] : []),
      ...(step.expect === undefined ? [] : byAnswer(step.expect, callLines)),
    ];
  return "inspect" in step ? byAnswer(step, inspectLines) : [];
}

/** The lines of an expectation, or those of each answer to an open question. */
function byAnswer<Wanted>(
  wanted: Wanted | { answers: Record<string, Wanted> },
  lines: (wanted: Wanted) => string[],
): string[] {
  if (typeof wanted !== "object" || wanted === null || !("answers" in wanted)) return lines(wanted as Wanted);
  return Object.entries(wanted.answers as Record<string, Wanted>).flatMap(([answer, one]) => [
    `for the answer ${answer}:`,
    ...lines(one).map((line) => `  ${line}`),
  ]);
}

function callLines(expect: Expectation): string[] {
  if ("any" in expect) return ["must give any answer"];
  if ("error" in expect) return [`must fail with an error of the kind ${describe(expect.error).replaceAll('"', "")}`];
  return "ok" in expect ? [`must give ${describe(expect.ok)}`] : expect.checks.map(checkLine);
}

function checkLine({ id, at, is, absent }: Check): string {
  const place = at === "" ? "the value" : at;
  return `${id}: ${place} ${absent === true ? "must be absent" : `must be ${describe(is as JsonValue)}`}`;
}

/** Inspections of whole files, which are judged as `check-file` judges them, have no expectation of their own. */
function inspectLines(
  wanted: InspectStep | { checks: Check[] } | { checks: SqliteCheck[] } | { is: JsonValue },
): string[] {
  if ("is" in wanted) return [`must be ${describe(wanted.is)}`];
  if (!("checks" in wanted)) return ["must be valid, as check-file judges it"];
  return wanted.checks.map((check) =>
    "at" in check && !("indexes" in check) ? checkLine(check) : sqliteLine(check as SqliteCheck),
  );
}

function sqliteLine(check: SqliteCheck): string {
  const { id } = check;
  if ("rows" in check) return `${id}: ${check.rows} must give ${describe(check.is)}`;
  if ("indexes" in check) return `${id}: the indexes of ${check.indexes} on ${check.at} must be ${describe(check.is)}`;
  if ("foreign_keys" in check) return `${id}: the foreign keys of ${check.foreign_keys} must be ${describe(check.is)}`;
  if ("meets" in check) return `${id}: must meet ${check.meets}, as check-file judges it`;
  if ("scratch" in check)
    return `${id}: on a copy, ${check.scratch
      .map((statement) =>
        "run" in statement
          ? `${statement.run} must be ${statement.outcome}`
          : `${statement.rows} must give ${describe(statement.is)}`,
      )
      .join("; ")}`;
  const what = "columns" in check ? `the columns of ${check.columns}` : "the tables";
  const parts = [
    ...(check.has === undefined ? [] : [`have ${check.has.join(", ")}`]),
    ...("lacks" in check && check.lacks !== undefined ? [`lack ${check.lacks.join(", ")}`] : []),
    ...(check.is === undefined ? [] : [`be ${describe(check.is)}`]),
  ];
  return `${id}: ${what} must ${parts.join(" and ")}`;
}
