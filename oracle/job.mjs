// Output to a job on GitHub: commands in the log, outputs, and the summary. On other machines there are no such files.
import { randomUUID } from "node:crypto";
import { appendFileSync, writeSync } from "node:fs";

/** Largest summary of a step, in bytes. GitHub drops a longer one completely. */
const LONGEST_SUMMARY = 1024 * 1024;

/** The reason why an implementation cannot be judged: a wrong input or an unsuitable machine. */
export class Refusal extends Error {
  constructor(message, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Sends a command to the runner. The escapes prevent the message from containing another command. */
export function command(name, message) {
  // oxlint-disable-next-line messages/no-decisions -- writes it in the syntax of GitHub
  const escaped = message.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  // Written synchronously, so that it comes before the output of a child process.
  writeSync(1, `::${name}::${escaped}\n`);
}

/** Writes the outputs of the step. A random delimiter encloses each value, so that its content cannot end it. */
export function writeOutputs(outputs) {
  if (!process.env.GITHUB_OUTPUT) return;
  for (const [name, value] of Object.entries(outputs)) {
    const end = `end-${randomUUID()}`;
    appendFileSync(process.env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
  }
}

/** Adds to the summary of the job: either the result, or a message that says why there is no result. */
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
      `${levels.must.passed} of ${levels.must.applicable} must cases passed. perdura-conformance ${summary.suite}.`,
    "",
    ...attention.map(({ id, verdict: how }) => `- \`${id}\`: ${how}`),
    ...others.map(({ id, what }) => `- \`${id}\`: ${plain(what)}`),
    ...notes.map((note) => `- ${plain(note)}`),
    "",
  ].join("\n");
}

/** Escapes text of the adapter, so that it does not become a link, a picture or a heading. */
function plain(text) {
  return text.replaceAll(/[\r\n]+/g, " ").replaceAll(/[^\p{L}\p{N} .,:;/+-]/gu, (mark) => `&#${mark.codePointAt(0)};`);
}

function code(text) {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
