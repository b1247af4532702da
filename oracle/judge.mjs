// The program of the action: reads inputs from the environment, installs the suite, runs it, and reports to the job.
// It has no dependencies and runs on Node.js 18, so that it can report a Node.js that is too old for the suite.
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
  markdown: "report.md",
  badge: "badge.svg",
};

/** Exit codes of perdura-conformance. */
const [DONE, FAILED, DIFFERENCE] = [0, 1, 4];

try {
  checkNode();
  process.exitCode = judge();
} catch (error) {
  // Any other error is a fault of this program, and must not look like a result.
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
  throw new Refusal(
    `${wanted}, but this runner has ${process.versions.node}: set the input node-version, for example to 24.`,
    FAILED,
  );
}

function judge() {
  const place = resolve(input("WORKING_DIRECTORY") || ".");
  if (!existsSync(place) || !statSync(place).isDirectory())
    throw new Refusal(`working-directory: the folder ${place} does not exist.`);
  if (input("ADAPTER").trim() === "") throw new Refusal("adapter: expected the command that starts the adapter.");
  const reports = reportFiles(place);
  const program = installSuite(input("VERSION").trim(), place);
  for (const file of Object.values(reports)) rmSync(file, { force: true });

  const status = runSuite(program, place, reports);
  if (!existsSync(reports.report))
    throw new Refusal("The suite wrote no report; see its output in the log.", status || FAILED);
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

/** Creates the folder of the reports and returns the paths of the requested reports. */
function reportFiles(place) {
  const words = input("REPORTS")
    .split(/[\s,]+/)
    .filter((word) => word !== "");
  const unknown = words.find((word) => !Object.hasOwn(REPORT_FILES, word));
  if (unknown !== undefined)
    throw new Refusal(
      `reports: expected names out of ${Object.keys(REPORT_FILES).join(", ")}; got ${JSON.stringify(unknown)}.`,
    );
  const folder = resolve(place, input("REPORTS_DIRECTORY") || "conformance");
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new Refusal(`reports-directory: cannot create ${folder}: ${error.message}`);
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
  // The output contains texts of the adapter, which the runner could take for commands.
  const token = randomUUID();
  command("stop-commands", token);
  const { status, error } = spawnSync(process.execPath, [program, "run", ...options], {
    cwd: place,
    env: judgedEnvironment(),
    stdio: ["ignore", "inherit", "inherit"],
  });
  command(token, "");
  if (error !== undefined) throw new Refusal(`Cannot start the suite: ${error.message}`, FAILED);
  return status ?? FAILED;
}

/** Environment of the suite and the adapter, without the files of the job, where an adapter could write a verdict. */
function judgedEnvironment() {
  const files = /^(?:ORACLE_\w+|GITHUB_(?:ENV|OUTPUT|PATH|STATE|STEP_SUMMARY))$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !files.test(name)));
}

function readReport(program, file, options) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "report", file, ...options], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Refusal(`Cannot read the report ${file}: ${stderr}`, FAILED);
  return stdout;
}
