// What a job on GitHub reads: commands in the log, outputs, and the summary. Elsewhere there are no such files.
import { randomUUID } from "node:crypto";
import { appendFileSync, writeSync } from "node:fs";

/** GitHub takes this much as the summary of a step, and nothing at all of a longer one. */
const LONGEST_SUMMARY = 1024 * 1024;

/** An input or a machine with which nothing can be judged. */
export class Refusal extends Error {
  constructor(message, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A command to the runner; the escapes keep the message from becoming another one. */
export function command(name, message) {
  const escaped = message.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  // At once, since what a child process says next must not come before it.
  writeSync(1, `::${name}::${escaped}\n`);
}

/** Writes the outputs of the step. A value is enclosed by a random delimiter, so that its content cannot end it. */
export function writeOutputs(outputs) {
  if (!process.env.GITHUB_OUTPUT) return;
  for (const [name, value] of Object.entries(outputs)) {
    const end = `end-${randomUUID()}`;
    appendFileSync(process.env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
  }
}

/** Adds to the summary of the job: either what was judged, or a message that says why nothing was. */
export function writeJobSummary(wanted, { message, summary, judged, matrix }) {
  if (!wanted || !process.env.GITHUB_STEP_SUMMARY) return;
  if (message !== undefined) return append(`## Not judged\n\n${code(message)}\n`);
  const head = verdictText(summary, judged);
  const body = `\n<details><summary>Every requirement</summary>\n\n${matrix()}\n</details>\n`;
  const fits = Buffer.byteLength(head + body) <= LONGEST_SUMMARY;
  append(
    fits
      ? head + body
      : `${head}\nThe Markdown report is too long for this page; perdura-conformance report makes it from report.ndjson.\n`,
  );
}

function append(text) {
  appendFileSync(process.env.GITHUB_STEP_SUMMARY, text);
}

function verdictText(summary, judged) {
  const { conformant, counts, attention, expected_failures: expected, unexpected, notes, levels } = summary;
  const verdict = judged ? (conformant ? "Conformant" : "Not conformant") : "Not judged";
  const versions = [
    summary.spec_version ?? "unknown",
    ...(summary.profile === null ? [] : [`profile ${summary.profile}`]),
  ];
  const named = new Set(attention.map(({ id }) => id));
  const others = unexpected.filter(({ id }) => !named.has(id));
  return [
    `## ${verdict}: ${plain(summary.implementation)}, specification ${versions.map(plain).join(", ")}`,
    "",
    `${counts.pass} cases passed, ${attention.length} failed, ${expected.length} failed as expected; ` +
      `${levels.must.passed} of ${levels.must.applicable} cases of what must hold. perdura-conformance ${summary.suite}.`,
    "",
    ...attention.map(({ id, verdict: how }) => `- \`${id}\`: ${how}`),
    ...others.map(({ id, what }) => `- \`${id}\`: ${plain(what)}`),
    ...notes.map((note) => `- ${plain(note)}`),
    "",
  ].join("\n");
}

/** Text of the adapter, which must not become a link, a picture or a heading. */
function plain(text) {
  return text.replaceAll(/[\r\n]+/g, " ").replaceAll(/[^\p{L}\p{N} .,:;/+-]/gu, (mark) => `&#${mark.codePointAt(0)};`);
}

function code(text) {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
