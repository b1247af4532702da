import { violations } from "../corpus/schemas.ts";
import { parseRange } from "../runner/version_range.ts";
import type { Verdict } from "../report/record.ts";
import { readJsonFile } from "../values/read_json_file.ts";

/** One entry of an expected-failure list: exactly this case, with exactly this verdict. */
export interface ExpectedFailure {
  /** Id of the case. */
  case: string;
  /** The verdict that is expected; `fail` without it. */
  verdict?: Exclude<Verdict, "pass" | "observed" | "inapplicable" | "not-run" | "harness-error">;
  /** For `fail`: the ids of the checks that fail, all of them and no other. */
  checks?: string[];
  /** Why: a fault of the implementation, something not built yet, a different reading, or the surroundings. */
  kind: "bug" | "missing" | "disagreement" | "environment";
  /** Where it is tracked. */
  link: string;
  /** Last day on which the entry holds, `YYYY-MM-DD` in UTC. */
  expires?: string;
  /** Versions of the specification that the entry is for; without it all. */
  versions?: string;
}

/**
 * Reads an expected-failure list: `{"expected_failures": [ … ]}`, described by `schemas/expected-failures.schema.json`.
 * @throws {Error} naming the file when it cannot be read, is not JSON, breaks the schema or names a case twice.
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { readExpectedFailures } from "@perdura/conformance";
 *
 * const entry = { case: "state/delete", kind: "bug", link: "https://example.org/issues/1" };
 * writeFileSync("known.json", JSON.stringify({ expected_failures: [entry] }));
 * console.log(readExpectedFailures("known.json").length); // 1
 * ```
 */
export function readExpectedFailures(file: string): ExpectedFailure[] {
  const parsed = readJsonFile(file, `the expected-failure list ${file}`);
  const faults = violations("expected-failures", parsed);
  if (faults.length > 0) throw new Error(`${file}: ${faults.join("; ")}`);
  const { expected_failures: entries } = parsed as { expected_failures: ExpectedFailure[] };
  const seen = new Set<string>();
  for (const entry of entries) {
    const key = `${entry.case} ${entry.versions ?? "*"}`;
    if (seen.has(key)) throw new Error(`${file}: the case ${entry.case.slice(0, 200)} stands there twice`);
    seen.add(key);
    if (entry.expires !== undefined && !isDay(entry.expires))
      throw new Error(`${file}: ${entry.case.slice(0, 200)}: ${entry.expires.slice(0, 20)} is no day of the calendar`);
    try {
      parseRange(entry.versions ?? "*");
    } catch (error) {
      throw new Error(`${file}: ${entry.case.slice(0, 200)}: versions: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  return entries;
}

/** JavaScript takes the 31st of February for a day in March. */
function isDay(text: string): boolean {
  const moment = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text);
}
