import { DefaultReporter, type TestCase, type TestModule, type TestSpecification } from "vitest/node";
import { cpuTime } from "./cpu_time.ts";
import { minutesText } from "./minutes.ts";
import { type FileFigures, type RunFigures, writeFigures } from "./run_figures.ts";
import { missingNeeds, requiredNeeds, type SkippedTest, skippedText } from "./skipped_tests.ts";

/** Milliseconds between two lines of progress without a terminal. */
const LINE_EVERY = 15_000;
const SLOWEST = 10;

/**
 * Shows progress and failures instead of a line for each file, and stores the figures of the run: skipped tests with
 * what they need, the slowest files, and CPU time by project. Tests that are skipped for want of something that
 * `TEST_REQUIRE` names are a failure.
 */
export default class RunReporter extends DefaultReporter {
  #files = 0;
  #ended = 0;
  #failedFiles = 0;
  #began = 0;
  #lines: NodeJS.Timeout | undefined;
  readonly #required = requiredNeeds(process.env["TEST_REQUIRE"]);

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications.length;
    this.#began = performance.now();
    super.onTestRunStart(specifications);
    if (!this.isTTY) this.#lines = setInterval(() => this.#printProgress(), LINE_EVERY);
  }

  #printProgress(): void {
    const failed = this.#failedFiles === 0 ? "" : `, ${this.#failedFiles} failed`;
    this.log(`   ${this.#ended} of ${this.#files} files${failed} (${minutesText(performance.now() - this.#began)})`);
  }

  protected override printTestModule(module: TestModule): void {
    this.#ended += 1;
    if (module.ok()) return;
    this.#failedFiles += 1;
    super.printTestModule(module);
  }

  override onTestRunEnd(...end: Parameters<DefaultReporter["onTestRunEnd"]>): void {
    clearInterval(this.#lines);
    super.onTestRunEnd(...end);
    const [modules, unhandledErrors] = end;
    const figures = figuresOf(modules, unhandledErrors.length);
    const workers = sum(figures.files.map(({ cpu_seconds }) => cpu_seconds));
    this.log(`\n${slowestText(figures.files)}${skippedText(figures.skipped)}`);
    const missing = missingNeeds(figures.skipped, this.#required);
    figures.failed += missing.length;
    figures.failed_tests.push(...missing);
    if (missing.length > 0) {
      this.error(missing.join("\n"));
      process.exitCode = 1;
    }
    // Servers of the run end after this, and count once they have ended.
    process.once("exit", () => {
      const { own, children } = cpuTime();
      figures.cpu_seconds["vitest"] = own;
      if (children !== undefined) figures.cpu_seconds["servers of the run"] = Math.max(0, children - workers);
      writeFigures(figures);
    });
  }
}

function figuresOf(modules: readonly TestModule[], errors: number): RunFigures {
  const figures: RunFigures = { passed: 0, failed: errors, failed_tests: [], skipped: [], cpu_seconds: {}, files: [] };
  for (const module of modules) {
    const tests = [...module.children.allTests()];
    const failed = tests.filter((test) => test.result().state === "failed").map(testName);
    // A file that could not be loaded, or prepared, has no failed test; it counts as one failure.
    if (failed.length === 0 && !module.ok()) failed.push(module.relativeModuleId);
    figures.failed += failed.length;
    figures.failed_tests.push(...failed);
    figures.passed += tests.filter((test) => test.result().state === "passed").length;
    figures.skipped.push(...tests.filter((test) => test.result().state === "skipped").map(skippedTest));
    figures.files.push(fileFigures(module, tests.length));
  }
  for (const { project, cpu_seconds } of figures.files)
    figures.cpu_seconds[project] = (figures.cpu_seconds[project] ?? 0) + cpu_seconds;
  return figures;
}

function fileFigures(module: TestModule, tests: number): FileFigures {
  const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } = module.diagnostic();
  const { cpu_seconds = 0, assertions = 0 } = module.meta();
  const took = sum([collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration]);
  return {
    file: module.relativeModuleId,
    project: module.project.name,
    tests,
    assertions,
    cpu_seconds,
    wall_seconds: took / 1000,
  };
}

function skippedTest(test: TestCase): SkippedTest {
  const result = test.result();
  const note = result.state === "skipped" && result.note !== undefined ? ` (${result.note})` : "";
  const { needs } = test.meta();
  return { name: `${testName(test)}${note}`, ...(needs === undefined ? {} : { needs }) };
}

const testName = (test: TestCase): string => `${test.module.relativeModuleId}: ${test.fullName}`;

function slowestText(files: readonly FileFigures[]): string {
  const slowest = files.toSorted((left, right) => right.wall_seconds - left.wall_seconds).slice(0, SLOWEST);
  const rows = slowest.map(
    ({ file, wall_seconds, cpu_seconds }) =>
      `   ${wall_seconds.toFixed(1).padStart(6)} s  ${cpu_seconds.toFixed(1).padStart(6)} s CPU  ${file}`,
  );
  return ["The slowest files:", ...rows, ""].join("\n");
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
