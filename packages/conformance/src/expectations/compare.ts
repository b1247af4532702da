import { checkIds } from "../corpus/case_rules.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import type { CaseRecord, Expected, Verdict } from "../report/record.ts";
import { inRange } from "../runner/version_range.ts";
import type { ExpectedFailure } from "./expected_failures.ts";

/** A deviation from what was expected. */
export interface Deviation {
  id: string;
  what: string;
}

/** What the comparison needs to know of the run. */
export interface ExpectationContext {
  cases: readonly LoadedCase[];
  entries: readonly ExpectedFailure[];
  /** The version that was judged; empty when the adapter never answered. */
  version: string;
  /** The present day, `YYYY-MM-DD`, for `expires`. */
  today: string;
}

const GOOD: ReadonlySet<Verdict> = new Set(["pass", "observed", "inapplicable", "not-run", "harness-error"]);

/** What the list says about one result; undefined when no entry speaks about it, or when it was not run. */
export function expectationOf(record: CaseRecord, context: ExpectationContext): Expected | undefined {
  const entry = entriesFor(context).find((candidate) => candidate.case === record.id);
  return entry && weigh(record, entry, context.today)?.expected;
}

/**
 * Every deviation: a failure that no entry expects, an expected one that passed or came differently, an entry that is
 * stale or expired. `not-run` and `harness-error` have their own consequences and are never listed.
 */
export function deviationsOf(records: readonly CaseRecord[], context: ExpectationContext): Deviation[] {
  const entries = entriesFor(context);
  const entryOf = new Map(entries.map((entry) => [entry.case, entry]));
  const deviations = entries.flatMap((entry) => staleness(entry, records, context));
  for (const record of records) {
    const entry = entryOf.get(record.id);
    if (entry) deviations.push(...(weigh(record, entry, context.today)?.deviations ?? []));
    else if (isUnexpected(record)) deviations.push({ id: record.id, what: `${record.verdict}, which nobody expected` });
  }
  return deviations;
}

function entriesFor({ entries, version }: ExpectationContext): ExpectedFailure[] {
  return entries.filter(
    (entry) => entry.versions === undefined || (version !== "" && inRange(version, entry.versions)),
  );
}

/** A scored case that did not pass. What a profile or a selection left out is no failure. */
function isUnexpected(record: CaseRecord): boolean {
  if (!record.scored || GOOD.has(record.verdict)) return false;
  return record.verdict !== "unsupported" || record.level === "must";
}

function weigh(
  record: CaseRecord,
  entry: ExpectedFailure,
  today: string,
): { expected: Expected; deviations: Deviation[] } | undefined {
  if (["not-run", "inapplicable", "harness-error"].includes(record.verdict)) return undefined;
  const wanted = entry.verdict ?? "fail";
  const failed = [...new Set(record.failures.map((failure) => failure.check ?? `step ${failure.step}`))];
  const sameChecks = entry.checks === undefined || sameSet(entry.checks, failed);
  const what: string[] = [];
  if (record.verdict === "pass" || record.verdict === "observed")
    what.push(`${record.verdict}, though ${wanted} was expected: remove the entry`);
  else if (record.verdict !== wanted) what.push(`${record.verdict}, and ${wanted} was expected`);
  else if (!sameChecks)
    what.push(
      `other checks failed than expected: ${failed.join(", ") || "none"} and not ${(entry.checks ?? []).join(", ")}`,
    );
  if (entry.expires !== undefined && entry.expires < today) what.push(`the entry expired on ${entry.expires}`);
  const { kind, link, expires, checks } = entry;
  const optional = { ...(expires === undefined ? {} : { expires }), ...(checks === undefined ? {} : { checks }) };
  return {
    expected: { verdict: wanted, kind, link, ...optional, met: what.length === 0 },
    deviations: what.map((words) => ({ id: record.id, what: words })),
  };
}

function staleness(entry: ExpectedFailure, records: readonly CaseRecord[], { cases }: ExpectationContext): Deviation[] {
  const tested = cases.find((loaded) => loaded.case.id === entry.case)?.case;
  if (!tested) return [{ id: entry.case, what: "the entry is stale: this suite has no such case" }];
  const known = checkIds(tested);
  const gone = (entry.checks ?? []).filter(
    (id) => !known.has(id) && !/^step \d+$/.test(id) && id !== "sandbox" && id !== "soundness",
  );
  if (gone.length > 0)
    return [{ id: entry.case, what: `the entry is stale: the case has no check ${gone.join(", ")}` }];
  if (records.find((record) => record.id === entry.case)?.verdict === "inapplicable" && entry.versions === undefined)
    return [{ id: entry.case, what: "the entry is stale: the case does not hold for this version; give it versions" }];
  return [];
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}
