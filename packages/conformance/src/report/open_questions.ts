import type { CaseRecord, RequirementRecord } from "./record.ts";
import type { ReportView } from "./report_view.ts";
import { isBreach } from "./standing.ts";

/** One place where the specification is silent, and what is known of this implementation there. */
export interface OpenQuestion {
  row: RequirementRecord;
  /** What the implementation declared, in words; undefined when it declared nothing. */
  declared: string | undefined;
  /** What it was seen to do, in words, with the cases that saw it. More than one entry: it does not always do the same. */
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

/** An answer's words; an id that the question does not know stands for itself. */
function words(row: RequirementRecord, answer: string): string {
  return row.answers && Object.hasOwn(row.answers, answer) ? (row.answers[answer] as string) : answer;
}

/** What one case saw of an open question that it cites. */
interface SeenByCase {
  row: RequirementRecord;
  /** What was seen, in words. */
  words: string;
  asRuled: boolean;
  /** What the implementation declared, in words; undefined when it declared nothing. */
  declared: string | undefined;
}

/** What one case saw of the open questions that it cites. */
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

/** Stands for an answer where the case does not tell the answers apart and our ruling was not seen; no id is empty. */
const DIFFERENT = "";

/** What the case saw: its recorded answer, else whether it held. */
function answerOf(row: RequirementRecord, record: CaseRecord): string | undefined {
  const { verdict, failures, answers = {} } = record;
  const told = Object.hasOwn(answers, row.id) ? answers[row.id] : undefined;
  if (told !== undefined && told !== row.ruling) return told;
  // Files outside the case's directory fail any case and answer no question.
  const onlyBreach = failures.length > 0 && failures.every(isBreach);
  if (verdict === "pass" || record.as_ruled === true || (verdict === "fail" && onlyBreach))
    return row.ruling ?? "ruled";
  // Our answer was seen at first, and then something else: what a later step found counts.
  return verdict === "fail" || record.as_ruled === false ? DIFFERENT : told;
}
