/**
 * Runs all checks of `npm test`; the last line is the tally. Words are passed to vitest: `npm test -- packages/backup`.
 * `--changed [--all] [REF]` runs the checks, and the tests that a change affects by their imports: as many as fit into
 * a minute, or all of them. The change is either the uncommitted one, or everything since REF.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { committedBudget, growthOf, growthText } from "./tests/budget.ts";
import { cpuTime } from "./tests/cpu_time.ts";
import { minutesText } from "./tests/minutes.ts";
import { FIGURES_FILE, readFigures, writeFigures } from "./tests/run_figures.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Scripts of package.json: two lists that take about the same time, each in order of cost, and the build. */
const CHECKS = ["format:check", "lint", "check:commits", "check:language", "generate --check", "check:lines", "types"];
const OF_DEPENDENCIES = ["check:third-party", "unused"];
const BUILD = ["build", "check:packages"];

/** Seconds that `--changed` may take, and that vitest takes before the first test runs. */
const CHANGED_SECONDS = 60;
const STARTING_SECONDS = 25;

/** Runs a script; returns its output, or nothing if that was shown directly. */
async function run(words: readonly string[], shown: boolean): Promise<{ code: number; output: string }> {
  const child = spawn("pnpm", ["--silent", ...words], {
    cwd: root,
    stdio: shown ? "inherit" : ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  const outputs = [child.stdout, child.stderr].map((stream) => (stream === null ? "" : text(stream)));
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  if (signal !== null) process.kill(process.pid, signal);
  return { code: code ?? 1, output: (await Promise.all(outputs)).join("") };
}

/** Runs scripts one after the other; returns the names of those that failed. */
async function inOrder(scripts: readonly string[]): Promise<string[]> {
  const failed: string[] = [];
  for (const script of scripts) {
    const began = performance.now();
    const { code, output } = await run(script.split(" "), false);
    console.log(
      `${code === 0 ? "  ok  " : "FAILED"}  ${script.padEnd(18)} ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s`,
    );
    if (code === 0) continue;
    failed.push(script);
    console.log(`${output.trimEnd()}\nTo repeat only this check: pnpm ${script}\n`);
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

const began = performance.now();
const words = process.argv.slice(2);
const onlyChanged = words[0] === "--changed";
console.log(
  `Checks${onlyChanged ? "" : " and the build in parallel"}, then the tests (${availableParallelism()} processors):`,
);
const lists = onlyChanged ? [CHECKS, OF_DEPENDENCIES] : [[...CHECKS, ...OF_DEPENDENCIES], BUILD];
const failed = (await Promise.all(lists.map(inOrder))).flat();
if (failed.length > 0) {
  console.log(`\nThe tests were not run, because these failed: ${failed.join(", ")}.`);
  console.log(`0 passed, ${failed.length} failed`);
  process.exit(1);
}
rmSync(FIGURES_FILE, { force: true });
const { code } = await run(onlyChanged ? testsOfChange(words.slice(1)) : ["test:unit", ...words], true);
const figures = readFigures();
const { children } = cpuTime();
// A failed run may have skipped some of the work.
if (figures !== undefined && words.length === 0 && code === 0) {
  writeFigures({ ...figures, complete: true });
  console.log(growthText(growthOf(figures, committedBudget())));
}
console.log(
  `Total time: ${minutesText(performance.now() - began)}${children === undefined ? "" : `, CPU time: ${minutesText(children * 1000)}`}.`,
);
// If vitest itself failed there may be no figures, or none about the failure.
const { passed = 0, failed: faults = 0, skipped = [] } = figures ?? {};
const counted = code === 0 ? faults : Math.max(faults, 1);
console.log(`${passed} passed, ${counted} failed${skipped.length === 0 ? "" : `, ${skipped.length} skipped`}`);
process.exitCode = counted > 0 ? 1 : 0;
