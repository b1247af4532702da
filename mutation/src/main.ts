import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyOfRepository } from "./copy_of_repository.ts";
import { writePage } from "./page.ts";
import { countsOf, digestOf, isCurrent, readResult, writeResult } from "./result.ts";
import { resultFrom, type StrykerReport } from "./stryker_report.ts";
import { type Suite, SUITES, unitsOf } from "./suites.ts";
import { type Unit, units } from "./units.ts";

const USAGE = `usage: pnpm mutation [FOLDER …] [--suite whole|conformance] [--again] [--minutes N] [--workers N]

Changes the sources in every small way, one at a time, and looks whether the tests notice. What comes of a folder is written
to mutation/results, and the table in mutation/README.md is made anew. Folders whose result is of the sources as they are
now are left out, so that a run which was ended goes on where it was.

  FOLDER         only folders of sources that begin so, for example internals/json or v16
  --suite NAME   whole: the tests of the lines, the internals and the suite's cases; conformance: the suite's cases alone.
                 Both without it
  --again        also folders that have a result
  --minutes N    begin no further folder after so many minutes
  --workers N    how many mutants at a time (default: as many as there are processors)
  --page         only make the table`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    suite: { type: "string" },
    again: { type: "boolean" },
    minutes: { type: "string" },
    workers: { type: "string" },
    page: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});

if (values.help === true) console.log(USAGE);
else if (values.page === true) writePage();
else process.exitCode = run();

function run(): number {
  const suites = SUITES.filter(({ name }) => values.suite === undefined || values.suite === name);
  if (suites.length === 0) {
    console.error(`--suite: expected whole or conformance, got ${values.suite}.\n\n${USAGE}`);
    return 2;
  }
  const end = performance.now() + Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const copy = copyOfRepository();
  try {
    for (const suite of suites) {
      for (const unit of unitsOf(suite, units()).filter(isWanted)) {
        const known = readResult(suite.name, unit.name);
        if (performance.now() >= end || (values.again !== true && isCurrent(unit, known))) continue;
        runUnit(suite, unit, copy.root);
        writePage();
      }
    }
  } finally {
    copy.remove();
  }
  return 0;
}

function isWanted({ name }: Unit): boolean {
  return positionals.length === 0 || positionals.some((wanted) => `${name}/`.startsWith(`${wanted}/`));
}

function runUnit(suite: Suite, unit: Unit, root: string): void {
  const [config, report] = [join(root, "stryker.json"), join(root, "mutation-report.json")];
  rmSync(report, { force: true });
  writeFileSync(config, JSON.stringify(settings(suite, unit, report)));
  const stryker = join(root, "mutation", "node_modules", ".bin", "stryker");
  const { status } = spawnSync(stryker, ["run", config], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`Stryker ended with ${status} in ${unit.name}.`);
  const result = resultFrom(JSON.parse(readFileSync(report, "utf8")) as StrykerReport, (file) => digestOf(file, root));
  // A file in which there is nothing to change is part of the result as well.
  for (const file of unit.files)
    result[file] ??= { sha256: digestOf(file, root), killed: 0, timeout: 0, unloadable: 0, survivors: [] };
  writeResult(suite.name, unit.name, result);
  const { noticed, all } = countsOf([result]);
  console.log(`${suite.name}, ${unit.name}: ${noticed} of ${all} noticed`);
}

function settings({ configFile }: Suite, { files }: Unit, report: string): object {
  return {
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile, related: false },
    mutate: files,
    // In the copy: a sandbox would find the packages of the workspace where they are not mutated.
    inPlace: true,
    // The sources are TypeScript that Node.js takes as it is; types are not looked at.
    tsconfigFile: "no-such-file.json",
    disableTypeChecks: false,
    coverageAnalysis: "perTest",
    concurrency: Number(values.workers ?? availableParallelism()),
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: report },
    timeoutMS: 20_000,
  };
}
