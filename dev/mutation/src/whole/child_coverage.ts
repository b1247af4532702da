import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { MutantCoverage } from "@stryker-mutator/api/core";

interface ChildCoverage {
  /** A test, or a file of tests, all of which may notice: it started the program before the first of them. */
  by: string;
  reached: string[];
}

/** Says what a program reached. It is there whole or not at all: a test may kill the program while it writes. */
export function keepChildCoverage(folder: string, name: string, told: ChildCoverage): void {
  const unfinished = join(folder, `${name}.unfinished`);
  writeFileSync(unfinished, JSON.stringify(told));
  renameSync(unfinished, join(folder, `${name}.json`));
}

/** Adds what programs of the tests, `file#name` each, reached to what the tests reached themselves. */
export function addChildCoverage(coverage: MutantCoverage, folder: string, tests: readonly string[]): void {
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".json"))) {
    const { by, reached } = JSON.parse(readFileSync(join(folder, name), "utf8")) as ChildCoverage;
    const id = nameOfTest(by);
    const concerned = id.includes("#") ? [id] : tests.filter((test) => test.startsWith(`${id}#`));
    for (const test of concerned) {
      const own = (coverage.perTest[test] ??= {});
      for (const mutant of reached) own[mutant] = (own[mutant] ?? 0) + 1;
    }
    rmSync(join(folder, name));
  }
}

/** Stryker's runner names the file of a test from the working directory. */
function nameOfTest(raw: string): string {
  const [file, ...name] = raw.split("#") as [string, ...string[]];
  return [relative(process.cwd(), resolve(file)).replaceAll("\\", "/"), ...name].join("#");
}
