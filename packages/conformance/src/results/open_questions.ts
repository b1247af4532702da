import type { CaseRecord, RequirementRecord } from "./record.ts";
import type { ReportView } from "./report_view.ts";
import { isBreach } from "./case_status.ts";

/** One open question, and the answers of this implementation. */
export interface OpenQuestion {
  row: RequirementRecord;
  /** The declared answer in words; undefined if none was declared. */
  declared: string | undefined;
  /**
   * The observed answers in words, with the cases that observed them. Several entries mean that the behaviour varies.
   */
  seen: { words: string; asRuled: boolean; cases: string[] }[];
  /** The ruling of this suite, in words. */
  ruling: string;
}

/** Every open question in the order of the stream. */
export function openQuestions(view: ReportView): OpenQuestion[] {
  return [...view.requirements.values()]
    .filter((row) => row.level === "observe")
    .map((row) => ({
      row,
      declared: declaredAnswer(row, view),
      seen: seenAnswers(row, view.cases),
      ruling: row.ruling === undefined ? row.statement : words(row, row.ruling),
    }));
}

function declaredAnswer(row: RequirementRecord, { run }: ReportView): string | undefined {
  if (!Object.hasOwn(run.choices, row.id)) return undefined;
  const choice = run.choices[row.id] as string;
  if (choice === "other") return "another answer";
  return choice === "ruled" || choice === row.ruling ? "as ruled" : words(row, choice);
}

/** An answer in words, or its id if the question does not list it. */
function words(row: RequirementRecord, answer: string): string {
  return row.answers && Object.hasOwn(row.answers, answer) ? (row.answers[answer] as string) : answer;
}

/** The answer that one case observed to an open question that it cites. */
interface SeenByCase {
  row: RequirementRecord;
  /** The observed answer, in words. */
  words: string;
  asRuled: boolean;
  /** The declared answer in words; undefined if none was declared. */
  declared: string | undefined;
}

/** The answers that one case observed to the open questions that it cites. */
export function answersSeen(record: CaseRecord, view: ReportView): SeenByCase[] {
  return record.requirements.flatMap((id) => {
    const row = view.requirements.get(id);
    const answer = row?.level === "observe" ? answerOf(row, record) : undefined;
    if (row === undefined || answer === undefined) return [];
    return [{ row, words: seenWords(row, answer), asRuled: isRuled(row, answer), declared: declaredAnswer(row, view) }];
  });
}

function seenWords(row: RequirementRecord, answer: string): string {
  if (isRuled(row, answer)) return "as ruled";
  if (answer === DIFFERENT) return "differs from our ruling";
  return answer === "other" ? "none of the known answers" : words(row, answer);
}

function isRuled(row: RequirementRecord, answer: string): boolean {
  return answer === (row.ruling ?? "ruled");
}

function seenAnswers(row: RequirementRecord, cases: readonly CaseRecord[]): OpenQuestion["seen"] {
  const seen = new Map<string, string[]>();
  for (const record of cases) {
    if (!record.requirements.includes(row.id)) continue;
    const answer = answerOf(row, record);
    if (answer !== undefined) seen.set(answer, [...(seen.get(answer) ?? []), record.id]);
  }
  return [...seen].map(([answer, ids]) => ({
    words: seenWords(row, answer),
    asRuled: isRuled(row, answer),
    cases: ids,
  }));
}

/** Placeholder for an answer other than our ruling, in a case that does not distinguish the answers; no id is empty. */
const DIFFERENT = "";

/** The recorded answer of the case, else the answer that its verdict implies. */
function answerOf(row: RequirementRecord, record: CaseRecord): string | undefined {
  const { verdict, failures, answers = {} } = record;
  const recorded = Object.hasOwn(answers, row.id) ? answers[row.id] : undefined;
  if (recorded !== undefined && recorded !== row.ruling) return recorded;
  // Files outside the case's directory fail any case and do not answer a question.
  const onlyBreach = failures.length > 0 && failures.every(isBreach);
  if (verdict === "pass" || record.as_ruled === true || (verdict === "fail" && onlyBreach))
    return row.ruling ?? "ruled";
  // Our ruling was observed first and another answer later: the later one counts.
  return verdict === "fail" || record.as_ruled === false ? DIFFERENT : recorded;
}
