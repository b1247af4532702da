import type { Step } from "../corpus/case.ts";
import type { Finding } from "../inspect/findings.ts";
import type { Failure } from "../report/record.ts";
import { contrast } from "../values/difference.ts";
import { show } from "../values/escape.ts";

/** One array of thousands can differ at every place; a reader needs the first ones, and how many there are. */
const SHOWN = 50;

/** The findings of a step as the report has them. */
export function failuresOf(findings: Finding[], index: number, step: Step): Failure[] {
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
  const said = typeof finding.got === "string" && finding.got.startsWith("error ");
  const got = said ? (finding.got as string) : show(finding.got, Infinity);
  return { step: index + 1, ...check, where: wordsFor(step), at: finding.at, ...contrast(finding.wanted, got) };
}

/** What a step does, in words. */
export function wordsFor(step: Step): string {
  if ("call" in step) return `call ${step.call}`;
  if ("put" in step) return `hand over ${step.put}`;
  if ("write" in step) return `write to ${step.write} as another program`;
  if (!("inspect" in step)) return "settle";
  return step.inspect === "files"
    ? `list files in ${step.under ?? "the case's directory"}`
    : `inspect ${step.inspect} ${step.file}`;
}
