/** Files that are generated from the sources and committed. */
import { readFileSync, writeFileSync } from "node:fs";
import { resultFiles } from "../selftest/src/results.ts";
import { conformanceBadges } from "./conformance_badges.ts";
import { errorCodesPage } from "./error_codes_page.ts";
import { pagesOfMeasurements } from "./measurements/pages.ts";
import { pagesOfPrograms } from "./program_tables.ts";
import { requirementsLock } from "./requirements_lock.ts";

/** The path and the current content of each file. */
export function generatedFiles(): Map<string, string> {
  return new Map([
    ...pagesOfPrograms(),
    ...resultFiles(),
    requirementsLock(),
    errorCodesPage(),
    ...conformanceBadges(),
    ...pagesOfMeasurements("."),
  ]);
}

/** Writes the files, or with `check` only reports those that differ. */
export function writeGeneratedFiles(check: boolean): void {
  for (const [file, text] of generatedFiles()) {
    if (readFileSync(file, "utf8") === text) continue;
    if (!check) writeFileSync(file, text);
    else {
      console.error(`${file} is out of date: run \`pnpm generate\`.`);
      process.exitCode = 1;
    }
  }
}
