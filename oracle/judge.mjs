// What the action does: reads its inputs from the environment, installs the suite, judges, and tells the job about it.
// Without dependencies, and in words that every Node.js since 18 understands, so that it can say that one is too old.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { installSuite } from "./install_suite.mjs";
import { Refusal, command, writeJobSummary, writeOutputs } from "./job.mjs";

/** The name of the file of each report. */
const REPORT_FILES = {
  html: "report.html",
  junit: "junit.xml",
  tap: "report.tap",
  markdown: "report.md",
  badge: "badge.json",
};

/** Exit codes of perdura-conformance. */
const [DONE, FAILED, DIFFERENCE] = [0, 1, 4];

try {
  checkNode();
  process.exitCode = judge();
} catch (error) {
  // An error that is no refusal is a fault of this program, and must not look like a judgement.
  const [message, exitCode] = error instanceof Refusal ? [error.message, error.exitCode] : [error.stack, FAILED];
  process.exitCode = exitCode;
  command("error", message);
  writeJobSummary(input("JOB_SUMMARY") !== "false", { message });
  writeOutputs({ verdict: "not-judged", "exit-code": exitCode });
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 14)) return;
  const wanted = "The oracle needs Node.js 22.14 or newer";
  throw new Refusal(`${wanted}, and this is ${process.versions.node}: set the input node-version, such as 24.`, FAILED);
}

function judge() {
  const place = resolve(input("WORKING_DIRECTORY") || ".");
  if (!existsSync(place) || !statSync(place).isDirectory())
    throw new Refusal(`working-directory: there is no folder ${place}.`);
  if (input("ADAPTER").trim() === "") throw new Refusal("adapter: the command that starts the adapter is expected.");
  const reports = reportFiles(place);
  const program = installSuite(input("VERSION").trim(), place);
  for (const file of Object.values(reports)) rmSync(file, { force: true });

  const status = runSuite(program, place, reports);
  if (!existsSync(reports.report)) throw new Refusal("Nothing was judged; the log says why.", status || FAILED);
  const summary = JSON.parse(readReport(program, reports.report, ["--format", "json"]));
  const judged = status === DONE || status === DIFFERENCE;
  writeOutputs({
    verdict: judged ? (summary.conformant ? "conformant" : "not-conformant") : "not-judged",
    "exit-code": status,
    passed: summary.counts.pass,
    failed: summary.attention.length,
    "expected-failures": summary.expected_failures.length,
    ...reports,
  });
  const matrix = () => readReport(program, reports.report, ["--format", "markdown"]);
  writeJobSummary(input("JOB_SUMMARY") !== "false", { summary, judged, matrix });
  if (status !== 0) command("error", `Not as expected: ${summary.unexpected.length} deviations; exit code ${status}.`);
  return status;
}

function input(name) {
  return process.env[`ORACLE_${name}`] ?? "";
}

/** The paths of the wanted reports, in a folder that is there. */
function reportFiles(place) {
  const words = input("REPORTS")
    .split(/[\s,]+/)
    .filter((word) => word !== "");
  const unknown = words.find((word) => !Object.hasOwn(REPORT_FILES, word));
  if (unknown !== undefined)
    throw new Refusal(`reports: ${JSON.stringify(unknown)} is none of ${Object.keys(REPORT_FILES).join(", ")}.`);
  const folder = resolve(place, input("REPORTS_DIRECTORY") || "conformance");
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new Refusal(`reports-directory: ${folder} cannot be made: ${error.message}`);
  }
  const wanted = words.map((word) => [word, join(folder, REPORT_FILES[word])]);
  return { report: join(folder, "report.ndjson"), ...Object.fromEntries(wanted) };
}

function runSuite(program, place, reports) {
  const options = ["adapter", "line", "profile", "expected-failures", "timeout", "workers", "seed"]
    .map((name) => [name, input(name.toUpperCase().replaceAll("-", "_"))])
    .concat(Object.entries(reports))
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `--${name}=${value}`);
  // The report shows texts of the adapter, which could look like commands to the runner.
  const token = randomUUID();
  command("stop-commands", token);
  const { status, error } = spawnSync(process.execPath, [program, "run", ...options], {
    cwd: place,
    env: judgedEnvironment(),
    stdio: ["ignore", "inherit", "inherit"],
  });
  command(token, "");
  if (error !== undefined) throw new Refusal(`The suite could not be started: ${error.message}`, FAILED);
  return status ?? FAILED;
}

/** Environment of the judged program, which must not write its own verdict into the files of the job. */
function judgedEnvironment() {
  const files = /^(?:ORACLE_\w+|GITHUB_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY))$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !files.test(name)));
}

function readReport(program, file, options) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "report", file, ...options], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Refusal(`The report ${file} could not be read: ${stderr}`, FAILED);
  return stdout;
}
