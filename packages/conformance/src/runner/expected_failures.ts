import type { Case } from "../corpus/case.ts";
import { checkIds } from "../corpus/case_rules.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import { violations } from "../values/schemas.ts";
import type { CaseRecord, Expected, Verdict } from "../results/record.ts";
import { OWN_CHECKS } from "../corpus/own_checks.ts";
import { inRange, parseRange } from "../corpus/version_range.ts";
import { readJsonFile } from "../values/parse_json.ts";

/** One entry of an expected-failure list: one case with one verdict. */
export interface ExpectedFailure {
  /** Id of the case. */
  case: string;
  /** The expected verdict; `fail` by default. */
  verdict?: Exclude<Verdict, "pass" | "observed" | "inapplicable" | "not-run" | "harness-error">;
  /** For `fail`: the ids of exactly the checks that fail. */
  checks?: string[];
  /**
   * Reason: a fault of the implementation, a missing function, a different reading of the specification, or the
   * environment.
   */
  kind: "bug" | "missing" | "disagreement" | "environment";
  /** Address of the issue that tracks it. */
  link?: string;
  /** Last day on which the entry is valid, `YYYY-MM-DD` in UTC. */
  expires?: string;
  /** Versions of the specification that the entry is for; all by default. */
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
    if (seen.has(key)) throw new Error(`${file}: the case ${entry.case.slice(0, 200)} is listed twice`);
    seen.add(key);
    if (entry.expires !== undefined && !isDay(entry.expires))
      throw new Error(`${file}: ${entry.case.slice(0, 200)}: ${entry.expires.slice(0, 20)} is not a valid date`);
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

/** `Date.parse` accepts the 31st of February as a day in March. */
function isDay(text: string): boolean {
  const moment = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(text);
}

/** A deviation from the expectation. */
export interface Deviation {
  id: string;
  what: string;
}

/** Facts of the run that the comparison needs. */
export interface ExpectationContext {
  cases: readonly LoadedCase[];
  entries: readonly ExpectedFailure[];
  /** The version that was judged; empty if the adapter never answered. */
  version: string;
  /** Current day, `YYYY-MM-DD`, for `expires`. */
  today: string;
}

const GOOD: ReadonlySet<Verdict> = new Set(["pass", "observed", "inapplicable", "not-run", "harness-error"]);

/** Expectation of the list for one record; undefined if it has no entry, or if the case was not run. */
export function expectationOf(record: CaseRecord, context: ExpectationContext): Expected | undefined {
  const entry = entriesFor(context).find((candidate) => candidate.case === record.id);
  return entry && compareWithEntry(record, entry, context.today)?.expected;
}

/**
 * Every deviation: an unexpected failure, an expected failure that passed or failed differently, a stale or expired
 * entry. `not-run` and `harness-error` have their own consequences and are never listed.
 */
export function deviationsOf(records: readonly CaseRecord[], context: ExpectationContext): Deviation[] {
  const entries = entriesFor(context);
  const entryOf = new Map(entries.map((entry) => [entry.case, entry]));
  const deviations = entries.flatMap((entry) => staleness(entry, records, context));
  for (const record of records) {
    const entry = entryOf.get(record.id);
    if (entry) deviations.push(...(compareWithEntry(record, entry, context.today)?.deviations ?? []));
    else if (isUnexpected(record)) deviations.push({ id: record.id, what: `${record.verdict}, not expected` });
  }
  return deviations;
}

/**
 * The list that makes this run as expected: entries that were met, and those of cases that did not run, are left unchanged;
 * entries of cases that passed go; other failures are added or brought up to date.
 */
export function listAfter(records: readonly CaseRecord[], context: ExpectationContext): ExpectedFailure[] {
  const recordOf = new Map(records.map((record) => [record.id, record]));
  const relevant = new Set(entriesFor(context));
  const kept = context.entries.flatMap((entry): ExpectedFailure[] => {
    const record = recordOf.get(entry.case);
    if (!relevant.has(entry)) return [entry];
    if (record === undefined || record.verdict === "inapplicable") return [];
    if (record.verdict === "not-run" || record.verdict === "harness-error") return [entry];
    return isUnexpected(record) ? [{ ...entry, ...outcomeOf(record) }] : [];
  });
  const listed = new Set(kept.map((entry) => entry.case));
  const added = records
    .filter((record) => isUnexpected(record) && !listed.has(record.id))
    .map((record): ExpectedFailure => {
      const kind = record.verdict === "unsupported" ? "missing" : "bug";
      return { case: record.id, ...outcomeOf(record), kind };
    });
  return [...kept, ...added].toSorted((a, b) => (a.case < b.case ? -1 : 1));
}

/** The verdict of a failed case, and the checks that failed. */
function outcomeOf(record: CaseRecord): Pick<ExpectedFailure, "verdict" | "checks"> {
  const checks = failedChecks(record);
  const verdict = record.verdict as NonNullable<ExpectedFailure["verdict"]>;
  // The checks of a generated case are those of one sequence, which another seed does not have.
  return verdict === "fail" && record.generated === undefined ? { verdict, checks } : { verdict };
}

function failedChecks({ failures }: CaseRecord): string[] {
  return [...new Set(failures.map((failure) => failure.check ?? `step ${failure.step}`))];
}

function entriesFor({ entries, version }: ExpectationContext): ExpectedFailure[] {
  return entries.filter(
    (entry) => entry.versions === undefined || (version !== "" && inRange(version, entry.versions)),
  );
}

/** A scored case that did not pass. A case outside of a profile or a selection is not a failure. */
function isUnexpected(record: CaseRecord): boolean {
  if (!record.scored || GOOD.has(record.verdict)) return false;
  return record.verdict !== "unsupported" || record.level === "must";
}

function compareWithEntry(
  record: CaseRecord,
  entry: ExpectedFailure,
  today: string,
): { expected: Expected; deviations: Deviation[] } | undefined {
  if (["not-run", "inapplicable", "harness-error"].includes(record.verdict)) return undefined;
  const wanted = entry.verdict ?? "fail";
  const failed = failedChecks(record);
  const sameChecks = entry.checks === undefined || sameSet(entry.checks, failed);
  const what: string[] = [];
  if (record.verdict === "pass" || record.verdict === "observed")
    what.push(`${record.verdict}, although ${wanted} was expected: remove the entry`);
  else if (record.verdict !== wanted) what.push(`${record.verdict}, but ${wanted} was expected`);
  else if (!sameChecks)
    what.push(
      `the failed checks differ: expected ${(entry.checks ?? []).join(", ")}, got ${failed.join(", ") || "none"}`,
    );
  if (entry.expires !== undefined && entry.expires < today) what.push(`the entry expired on ${entry.expires}`);
  const { kind, link, expires, checks } = entry;
  const optional = {
    ...(link === undefined ? {} : { link }),
    ...(expires === undefined ? {} : { expires }),
    ...(checks === undefined ? {} : { checks }),
  };
  return {
    expected: { verdict: wanted, kind, ...optional, met: what.length === 0 },
    deviations: what.map((words) => ({ id: record.id, what: words })),
  };
}

function staleness(entry: ExpectedFailure, records: readonly CaseRecord[], { cases }: ExpectationContext): Deviation[] {
  const tested = cases.find((loaded) => loaded.case.id === entry.case)?.case;
  if (!tested) return [{ id: entry.case, what: "the entry is stale: this suite has no such case" }];
  const known = checkIds(tested);
  const gone = (entry.checks ?? []).filter(
    (id) => !known.has(id) && !/^step \d+$/.test(id) && !OWN_CHECKS.includes(id) && !namesFinding(id, tested),
  );
  if (gone.length > 0)
    return [{ id: entry.case, what: `the entry is stale: the case has no check ${gone.join(", ")}` }];
  if (records.find((record) => record.id === entry.case)?.verdict === "inapplicable" && entry.versions === undefined)
    return [
      {
        id: entry.case,
        what: "the entry is stale: the case does not apply to this version; add versions to the entry",
      },
    ];
  return [];
}

/** True for the requirement of a finding of `check-file`, where a step judges a whole file, and for a generated case. */
function namesFinding(id: string, { steps }: Case): boolean {
  return steps.some(
    (step) =>
      "generate" in step ||
      ("inspect" in step && !("checks" in step || "answers" in step || "is" in step) && /^[RUX]-/.test(id)),
  );
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}
