import { areaOf } from "../corpus/case.ts";
import { count } from "./conclusion.ts";
import type { CaseRecord, Failure } from "./record.ts";
import type { ReportView } from "./report_view.ts";
import { casesByRequirement, sectionsOf, type TroubledSection } from "./sections.ts";
import { FAILED_VERDICTS, hasFailed, isBreach, MIN_FAILURES } from "./case_status.ts";
import { errorLine } from "./stderr_text.ts";

/** A complaint that several cases share: most likely they have one cause. */
export interface CommonFailure {
  /** A sentence: `31 cases: expected "a" at …/last_used, got null`. Contains data of the implementation. */
  text: string;
  /** Ids of the cases, at least three. */
  cases: string[];
  /** The case to look at: the first in an area that tests a single function. */
  example: string;
  /** The step of the example at which its adapter failed. */
  place?: string;
  /** True if the adapter crashed or hung, so that the requirements were not tested. */
  isAdapterFailure: boolean;
}

const SHOWN = 3;
/** Maximum length of a value; in a longer one the difference would not be visible. */
const VALUE = 120;
/** Length of the beginning by which messages are compared; the following text is mostly data. */
const PREFIX = 60;
const MESSAGE = 320;

/** One complaint of one case, before the cases are grouped. */
interface Single {
  key: string;
  words: string;
  isAdapterFailure: boolean;
}

/** A case with one of its complaints. */
interface Member {
  record: CaseRecord;
  single: Single;
}

/**
 * Complaints that at least three failed cases share, most cases first: the same expected and actual value at places of
 * one name, the same error, or the same crash. A complaint whose cases are all covered by more frequent ones is left
 * out.
 */
export function commonFailures(view: ReportView): CommonFailure[] {
  const groups = new Map<string, Member[]>();
  for (const record of view.cases) {
    if (!hasFailed(record, view)) continue;
    const own = new Map(singles(record).map((single) => [single.key, single]));
    for (const [key, single] of own) groups.set(key, [...(groups.get(key) ?? []), { record, single }]);
  }
  const covered = new Set<string>();
  return [...groups.values()]
    .filter((group) => group.length >= MIN_FAILURES)
    .toSorted((a, b) => b.length - a.length)
    .filter((group) => {
      const news = group.some(({ record }) => !covered.has(record.id));
      for (const { record } of group) covered.add(record.id);
      return news;
    })
    .slice(0, SHOWN)
    .map((group) => {
      const example = group.find(({ record }) => !INDIRECT_AREAS.has(areaOf(record.id))) ?? (group[0] as Member);
      const { place, id } = example.record;
      return {
        text: `${group.length} cases${together(group.map(({ single }) => single.words))}`,
        cases: group.map(({ record }) => record.id),
        example: id,
        ...(place === undefined ? {} : { place }),
        isAdapterFailure: example.single.isAdapterFailure,
      };
    });
}

/** For example `2 causes, 57 cases`. */
export function causesTitle(shared: readonly CommonFailure[]): string {
  const cases = new Set(shared.flatMap((failure) => failure.cases));
  return `${count(shared.length, "cause")}, ${count(cases.size, "case")}`;
}

/**
 * The isAdapterFailure to fix first, if it is the most frequent complaint and affects at least half of the failed cases: a
 * broken adapter shows nothing about requirements.
 */
export function firstAdapterFailure([first]: readonly CommonFailure[], failed: number): CommonFailure | undefined {
  return first?.isAdapterFailure === true && first.cases.length * 2 >= failed ? first : undefined;
}

/**
 * Without the differences of open questions that were not reached: a case that counts failed in the same way, so that
 * the difference says nothing about the question.
 */
export function withoutUnreached(cases: readonly CaseRecord[]): CaseRecord[] {
  const causes = new Map<string, string>();
  for (const record of cases)
    if (record.scored && FAILED_VERDICTS.has(record.verdict))
      for (const { key } of singles(record)) if (!causes.has(key)) causes.set(key, record.id);
  return cases.map((record) => {
    const [first] = record.failures;
    if (record.verdict !== "observed" || record.as_ruled !== false || first === undefined) return record;
    const cause = causes.get(difference(first)?.key ?? "");
    if (cause === undefined) return record;
    const { as_ruled: _ruled, answers: _answers, ...rest } = record;
    return { ...rest, reason: `the question was not reached: it failed as ${cause} did` };
  });
}

function singles(record: CaseRecord): Single[] {
  if (record.verdict === "fail") return record.failures.flatMap((failure) => difference(failure) ?? []);
  const reason = record.reason ?? "";
  const said = record.verdict === "crash" ? errorLine(record.diagnostics) : undefined;
  const words = `: ${record.verdict}: ${reason}${said === undefined ? "" : `; stderr: ${said}`}`;
  return [{ key: `${record.verdict} ${comparable(reason)} ${comparable(said ?? "")}`, words, isAdapterFailure: true }];
}

function difference(failure: Failure): Single | undefined {
  const { wanted, got, at, error } = failure;
  if (error !== undefined) return { key: `error ${comparable(error)}`, words: `: ${error}`, isAdapterFailure: false };
  if (isBreach(failure) || wanted.length > VALUE || got.length > VALUE) return undefined;
  const name = at.split("/").findLast((segment) => segment !== "" && !/^\d+$/.test(segment));
  const place = name === undefined ? "" : ` at …/${name}`;
  return {
    key: JSON.stringify([wanted, got, name]),
    words: `: expected ${wanted}${place}, got ${got}`,
    isAdapterFailure: false,
  };
}

/** Removes numbers and paths, which differ between cases with the same cause. */
function comparable(message: string): string {
  return withoutPaths(message).replaceAll(/\d+/g, "0").slice(0, PREFIX);
}

function withoutPaths(message: string): string {
  return message.slice(0, MESSAGE).replaceAll(/(<sandbox>|[\w.~-]*\/|\b[A-Za-z]:\\)[^\s'":,]*/g, "<path>");
}

/** The messages if all are equal, else their common beginning without paths. */
function together(all: readonly string[]): string {
  const first = all[0] as string;
  if (all.every((words) => words === first)) return cut(first);
  const [start, ...others] = all.map(withoutPaths) as [string, ...string[]];
  let same = start.length;
  for (const other of others) while (!other.startsWith(start.slice(0, same))) same -= 1;
  const whole = others.every((other) => other.length === same) && start.length === same;
  return whole ? cut(start) : `${cut(start.slice(0, same)).replace(/…$/, "")}…`;
}

function cut(words: string): string {
  return words.length > MESSAGE ? `${words.slice(0, MESSAGE)}…` : words;
}

/** Areas whose cases combine several operations or use foreign files: they fail for causes in other areas. */
const INDIRECT_AREAS: ReadonlySet<string> = new Set(["cross-line", "cross-format", "migration"]);
/** Requirements that depend on nearly all others. */
const INDIRECT: ReadonlySet<string> = new Set(["R-4.1/foreign-files", "R-4.2/foreign-files", "R-9/cross-line"]);
const LEVELS = ["must", "should", "observe", "extra"] as const;

/** True if the failure is most likely about the requirement itself. */
function isDirect(requirement: string, { id }: CaseRecord): boolean {
  return !INDIRECT.has(requirement) && !INDIRECT_AREAS.has(areaOf(id));
}

/**
 * The requirement to fix first: must before should; then the one with most failures in direct cases, rather than in
 * cases that only pass through other files and formats; then the one with most failures; among equals the first in the
 * specification.
 */
export function likelyRequirement(view: ReportView): TroubledSection["requirements"][number] | undefined {
  const checking = casesByRequirement(view);
  return sectionsOf(view)
    .flatMap(({ rows }) => rows)
    .map((row) => {
      const failed = (checking.get(row.id) ?? []).filter((record) => hasFailed(record, view));
      return { row, cases: failed.length, direct: failed.filter((record) => isDirect(row.id, record)).length };
    })
    .filter(({ cases }) => cases > 0)
    .toSorted(
      (a, b) => LEVELS.indexOf(a.row.level) - LEVELS.indexOf(b.row.level) || b.direct - a.direct || b.cases - a.cases,
    )[0];
}
