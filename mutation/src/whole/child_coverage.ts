import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { MutantCoverage } from "@stryker-mutator/api/core";

/** Adds what programs of the tests reached to what the tests reached themselves. */
export function addChildCoverage(coverage: MutantCoverage, folder: string): void {
  for (const name of readdirSync(folder)) {
    const { test, reached } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
      test: string;
      reached: string[];
    };
    const id = nameOfTest(test);
    const own = (coverage.perTest[id] ??= {});
    for (const mutant of reached) own[mutant] = (own[mutant] ?? 0) + 1;
    rmSync(join(folder, name));
  }
}

/** Stryker's runner names the file of a test from the working directory. */
function nameOfTest(raw: string): string {
  const end = raw.indexOf("#");
  return `${relative(process.cwd(), resolve(raw.slice(0, end))).replaceAll("\\", "/")}${raw.slice(end)}`;
}
