import { FAILED_VERDICTS } from "./case_status.ts";
import { openQuestions } from "./open_questions.ts";
import type { CaseRecord } from "./record.ts";
import type { ReportView } from "./report_view.ts";

/** A case whose result differs between two runs. */
export interface ChangedCase {
  id: string;
  title: string;
  level: CaseRecord["level"];
  /** The verdict in the earlier run; null for a case that it did not have. */
  was: CaseRecord["verdict"] | null;
  /** The verdict in the later run; null for a case that it does not have. */
  now: CaseRecord["verdict"] | null;
}

/** An open question that is answered otherwise. */
export interface ChangedAnswer {
  id: string;
  was: string;
  now: string;
}

/** Differences between two runs, of one implementation or of two. */
export interface Changes {
  /** Cases that passed and count, and do not pass any more, and new ones that failed. */
  worse: ChangedCase[];
  /** Cases that did not pass before. */
  better: ChangedCase[];
  /** Other verdicts, and other checks that fail. */
  other: ChangedCase[];
  /** Cases that only the later run has, except for those that failed. */
  added: ChangedCase[];
  /** Cases that only the earlier run has. */
  removed: ChangedCase[];
  answers: ChangedAnswer[];
}

/** Compares two runs case by case. */
export function changesBetween(earlier: ReportView, later: ReportView): Changes {
  const before = new Map(earlier.cases.map((record) => [record.id, record]));
  const after = new Map(later.cases.map((record) => [record.id, record]));
  const changes: Changes = {
    worse: [],
    better: [],
    other: [],
    added: [],
    removed: [],
    answers: answersBetween(earlier, later),
  };
  for (const [id, now] of after) {
    const was = before.get(id);
    const kind = was === undefined ? kindOfNew(now) : kindOf(was, now);
    if (kind !== undefined) changes[kind].push(changed(was, now));
  }
  for (const [id, was] of before) if (!after.has(id)) changes.removed.push(changed(was, undefined));
  return changes;
}

function changed(was: CaseRecord | undefined, now: CaseRecord | undefined): ChangedCase {
  const { id, title, level } = (now ?? was) as CaseRecord;
  return { id, title, level, was: was?.verdict ?? null, now: now?.verdict ?? null };
}

function kindOfNew(now: CaseRecord): "worse" | "added" {
  return now.scored && FAILED_VERDICTS.has(now.verdict) ? "worse" : "added";
}

function kindOf(was: CaseRecord, now: CaseRecord): "worse" | "better" | "other" | undefined {
  const [passed, passes] = [isGood(was), isGood(now)];
  if (passed && !passes) return now.scored && now.verdict !== "inapplicable" ? "worse" : "other";
  if (!passed && passes && was.verdict !== "inapplicable") return "better";
  // Whether a case without a result does not apply or was left out says nothing about the implementation.
  if ([was, now].every(({ verdict }) => verdict === "inapplicable" || verdict === "not-run")) return undefined;
  return was.verdict !== now.verdict || outcome(was) !== outcome(now) ? "other" : undefined;
}

function isGood({ verdict }: CaseRecord): boolean {
  return verdict === "pass" || verdict === "observed";
}

/** The checks that failed; of a generated case not, because those of another sequence have other names. */
function outcome({ failures, generated }: CaseRecord): string {
  if (generated !== undefined) return "";
  return [...new Set(failures.map(({ step, check }) => check ?? `step ${step}`))].join(" ");
}

function answersBetween(earlier: ReportView, later: ReportView): ChangedAnswer[] {
  const [before, after] = [answersOf(earlier), answersOf(later)];
  return [...after].flatMap(([id, now]) => {
    const was = before.get(id);
    return was === undefined || was === now ? [] : [{ id, was, now }];
  });
}

/** The answers that were observed, by question. */
function answersOf(view: ReportView): Map<string, string> {
  const seen = openQuestions(view).filter((question) => question.seen.length > 0);
  return new Map(
    seen.map(({ row, seen: answers }) => [
      row.id,
      answers
        .map(({ words }) => words)
        .toSorted()
        .join("; "),
    ]),
  );
}

/** True if the later run is not worse than the earlier one. */
export function isNoWorse({ worse }: Changes): boolean {
  return worse.length === 0;
}
