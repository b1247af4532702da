import { existsSync, readFileSync } from "node:fs";
import type { Case, InspectStep, PutStep, Step } from "../corpus/case.ts";
import { contentOf, wordsFor } from "../corpus/step_text.ts";
import type { Finding } from "../inspect/findings.ts";
import { SuiteText } from "../inspect/suite_text.ts";
import { placeOf } from "../inspect/text_files.ts";
import { describe } from "../matching/describe.ts";
import { fillIn, type Scope } from "../matching/scope.ts";
import type { Failure } from "../results/record.ts";
import { escapeControls, show } from "../values/escape.ts";
import { isTaggedNumber, type JsonObject, type JsonValue } from "../values/json_value.ts";
import { inRange } from "../corpus/version_range.ts";

/** Maximum number of differences of a step that are reported; a long array can differ in thousands of places. */
const SHOWN = 50;

/** The surroundings of a failed step. */
interface StepSurroundings {
  scope: Scope;
  /** The specification version that the case is judged by. */
  version: string;
}

/**
 * The findings of a step in the form of the report.
 * @param index the step, from 0.
 * @param step the step as it ran: of a repeated one, the copy that found the differences.
 */
export function failuresOf(
  findings: Finding[],
  index: number,
  step: Step,
  tested: Case,
  run: StepSurroundings,
): Failure[] {
  const [first, ...others] = failuresWithoutInput(findings, index, step);
  if (first === undefined) return [];
  const given = givenTo(step, tested.steps.slice(0, index), run);
  return [given.length === 0 ? first : { ...first, given }, ...others];
}

function failuresWithoutInput(findings: Finding[], index: number, step: Step): Failure[] {
  const failures = findings.slice(0, SHOWN).map((finding) => failure(finding, index, step));
  const rest = findings.length - SHOWN;
  if (rest > 0) {
    const more = { at: "", wanted: "no more differences", got: `${rest} more differences in this step` };
    failures.push({ step: index + 1, where: wordsFor(step), ...more });
  }
  return failures;
}

function failure(finding: Finding, index: number, step: Step): Failure {
  const check = finding.check === undefined ? {} : { check: finding.check };
  const error = finding.error === undefined ? {} : { error: finding.error };
  const got = finding.error === undefined ? shown(finding.got) : String(finding.got);
  return {
    step: index + 1,
    ...check,
    where: wordsFor(step),
    at: finding.at,
    ...contrast(finding.wanted, got),
    ...error,
  };
}

/** A number that a double would change has its digits, words have no quotes. */
function shown(got: unknown): string {
  if (got instanceof SuiteText) return escapeControls(got.text);
  return isTaggedNumber(got as JsonValue) ? describe(got as JsonValue) : show(got, Infinity);
}

/** Number of provided files that a report shows, and the length of their contents in characters. */
const FILES = 3;
const CONTENT = 300;

/** Input of a failed step, for a reader: the arguments of the call, and the files that were provided or inspected. */
function givenTo(step: Step, earlier: Step[], { scope, version }: StepSurroundings): string[] {
  if ("inspect" in step) {
    if (step.inspect === "files" || !TEXT_FILES.has(step.inspect)) return [];
    const path = placeOf(step.file, scope.directory);
    return existsSync(path) ? [`${step.file}: ${beginning(oneLine(readFileSync(path, "utf8")))}`] : [];
  }
  if (!("call" in step)) return [];
  const args = describe(fillIn((step.args ?? {}) as JsonObject, scope.data));
  const before = earlier.filter(
    (one) => "put" in one && (one.versions === undefined || inRange(version, one.versions)),
  ) as PutStep[];
  const named = before.filter((one) => args.includes(JSON.stringify(one.put)));
  const provided = (named.length > 0 ? named : before).slice(-FILES);
  return [
    ...(args === "{}" ? [] : [`arguments ${beginning(escapeControls(args))}`]),
    ...provided.map((one) => `${one.put}: ${beginning(oneLine(contentOf(one)))}`),
  ];
}

/** Inspections of files whose content is text. */
const TEXT_FILES: ReadonlySet<InspectStep["inspect"]> = new Set(["json", "jsonl", "csv", "text", "library", "state"]);

function oneLine(text: string): string {
  return escapeControls(text.replaceAll(/\r?\n/g, " ⏎ "));
}

function beginning(text: string): string {
  return text.length <= CONTENT ? text : `${text.slice(0, CONTENT)}…`;
}

/** Maximum length of each side of a difference in a report, in characters. */
const LIMIT = 4000;
/** Number of characters that are shown before the first difference of two long texts. */
const BEFORE = 200;

/**
 * Two texts in the form of the report: long ones from shortly before their first difference; texts that look equal but
 * are not (composed and combined letters) with their code units in ASCII.
 */
function contrast(wanted: string, got: string): { wanted: string; got: string } {
  if (wanted !== got && wanted.normalize("NFC") === got.normalize("NFC"))
    return contrast(inAscii(wanted), inAscii(got));
  if (wanted.length <= LIMIT && got.length <= LIMIT) return { wanted, got };
  let parting = 0;
  while (parting < wanted.length && wanted[parting] === got[parting]) parting += 1;
  const start = Math.max(0, parting - BEFORE);
  return { wanted: cut(wanted, start), got: cut(got, start) };
}

function cut(text: string, start: number): string {
  if (text.length <= LIMIT) return text;
  const from = Math.min(start, text.length - BEFORE);
  const end = from + LIMIT;
  return `${from === 0 ? "" : "…"}${text.slice(from, end)}${end < text.length ? "…" : ""} (${text.length} characters)`;
}

function inAscii(text: string): string {
  return text.replace(/[^\u0000-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
