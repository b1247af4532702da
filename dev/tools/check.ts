/**
 * Runs all checks of `npm test`; the last line is the tally. Words are passed to vitest: `npm test -- packages/backup`.
 * `--changed [--all] [REF]` runs the checks, and the tests that a change affects: as many as fit into a minute, or all
 * of them. The change is either the uncommitted one, or everything since REF.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { cpuTime } from "./tests/cpu_time.ts";
import { minutesText } from "./tests/minutes.ts";
import { LOG_FILE, RunLog } from "./tests/run_log.ts";
import { FIGURES_FILE, readFigures, type RunFigures } from "./tests/run_figures.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Scripts of package.json, each list in order of cost; the last two together take about as long as the first. */
const CHECKS = ["format:check", "lint", "check:commits", "check:language", "generate --check", "check:lines", "types"];
const OF_DEPENDENCIES = ["check:third-party", "unused"];
const BUILD = ["build", "check:packages"];

/** Seconds that `--changed` may take, and that vitest takes before the first test runs. */
const CHANGED_SECONDS = 60;
const STARTING_SECONDS = 25;

const log = new RunLog();

/** Runs a script; its output is returned, and shown at once if that is asked for. */
async function run(words: readonly string[], shown: boolean): Promise<{ code: number; output: string }> {
  const env = shown && process.stdout.isTTY && !process.env["NO_COLOR"] ? { FORCE_COLOR: "1" } : {};
  const child = spawn("pnpm", ["--silent", ...words], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    shell: process.platform === "win32",
  });
  const received: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (shown ? log.write(chunk) : received.push(chunk)));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (signal !== null) process.kill(process.pid, signal);
  return { code: code ?? 1, output: Buffer.concat(received).toString() };
}

/** Runs scripts one after the other; returns the names of those that failed. */
async function inOrder(scripts: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const script of scripts) {
    const began = performance.now();
    const { code, output } = await run(script.split(" "), false);
    const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
    log.line(`${code === 0 ? "  ok  " : "FAILED"}  ${script.padEnd(18)} ${seconds} s`);
    if (code === 0) continue;
    failed.push(script);
    log.line(`${output.trimEnd()}\nTo repeat only this check: pnpm ${script}\n`);
    // The next script needs this one.
    if (script === "build") break;
  }
  return failed;
}

/** The command that runs the tests of a change. */
function testsOfChange(given: readonly string[]): string[] {
  const words = given.filter((word) => word !== "--all");
  const left = CHANGED_SECONDS - STARTING_SECONDS - (performance.now() - began) / 1000;
  const within = words.length < given.length ? [] : ["--within", String(Math.max(0, left))];
  return ["exec", "node", "dev/tools/run_changed.ts", ...within, ...words];
}

/** The end of a red run: the names of the failures, and the place of its output. */
function failureText(failedChecks: readonly string[], figures: RunFigures | undefined): string {
  const names = [...failedChecks.map((script) => `pnpm ${script}`), ...(figures?.failed_tests ?? [])];
  return [
    "\nFailed:",
    ...(names.length === 0 ? ["   the test runner itself"] : names.map((name) => `   ${name}`)),
    `All output is in ${relative(root, LOG_FILE)}.`,
  ].join("\n");
}

const began = performance.now();
const words = process.argv.slice(2);
const onlyChanged = words[0] === "--changed";
log.line(
  `Checks${onlyChanged ? "" : " and the build in parallel"}, then the tests (${availableParallelism()} processors):`,
);
const ofDependencies = (): Promise<string[]> => inOrder(OF_DEPENDENCIES);
const building = async (): Promise<string[]> => [...(await inOrder(BUILD)), ...(await ofDependencies())];
const failedChecks = (await Promise.all([inOrder(CHECKS), onlyChanged ? ofDependencies() : building()])).flat();
// Tests of a change run on sources that a check refuses, too: only the whole run would take long.
if (failedChecks.length > 0 && !onlyChanged) {
  log.line(`${failureText(failedChecks, undefined)}\nNo test was run.\n0 passed, ${failedChecks.length} failed`);
  process.exit(1);
}
rmSync(FIGURES_FILE, { force: true });
const { code } = await run(onlyChanged ? testsOfChange(words.slice(1)) : ["test:unit", ...words], true);
const figures = readFigures();
const { children } = cpuTime();
log.line(
  `Total time: ${minutesText(performance.now() - began)}${children === undefined ? "" : `, CPU time: ${minutesText(children * 1000)}`}.`,
);
// If vitest itself failed there may be no figures, or none about the failure.
const { passed = 0, failed: faults = 0, skipped = [], not_run: notRun } = figures ?? {};
const counted = (code === 0 ? faults : Math.max(faults, 1)) + failedChecks.length;
if (counted > 0) log.line(failureText(failedChecks, figures));
log.line(`${passed} passed, ${counted} failed${skipped.length === 0 ? "" : `, ${skipped.length} skipped`}`);
if (onlyChanged && notRun !== undefined) log.line(notRun);
process.exitCode = counted > 0 ? 1 : 0;
