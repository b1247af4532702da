import type { Case } from "../corpus/case.ts";
import type { Requirement } from "../corpus/requirements.ts";
import type { Finding } from "../inspect/findings.ts";

/** What a step with `answers` showed about an open question. */
interface SeenAnswer {
  question: string;
  /** Id of the first answer that fits, or `other`. */
  answer: string;
  /** What differs from our ruling; empty when it was seen. */
  findings: Finding[];
}

/** The open question of a step: the one that it names, else the only `U-` id of its case. */
export function questionOf(tested: Case, named: string | undefined): string {
  if (named !== undefined) return named;
  const questions = tested.requirements.filter((id) => id.startsWith("U-"));
  if (questions.length !== 1) throw new Error(`${tested.id}: a step with answers has to name its question`);
  return questions[0] as string;
}

/**
 * Finds out which answer an implementation gives.
 * @param answers what each answer looks like.
 * @param judge the differences from one of them.
 */
export function readAnswer<Wanted>(
  row: Requirement,
  answers: Record<string, Wanted>,
  judge: (wanted: Wanted) => Finding[],
): SeenAnswer {
  const ruling = row.ruling as string;
  const ruled = judge(answers[ruling] as Wanted);
  if (ruled.length === 0) return { question: row.id, answer: ruling, findings: [] };
  const seen = Object.keys(answers).find(
    (answer) => answer !== ruling && judge(answers[answer] as Wanted).length === 0,
  );
  return { question: row.id, answer: seen ?? "other", findings: ruled };
}

/** True when an implementation said in `hello` that it answers an open question by our ruling. */
export function isDeclared({ id, ruling }: Requirement, choices: Record<string, string>): boolean {
  return choices[id] === "ruled" || (ruling !== undefined && choices[id] === ruling);
}
