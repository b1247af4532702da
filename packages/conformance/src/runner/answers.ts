import type { Case } from "../corpus/case.ts";
import type { Requirement } from "../corpus/requirements.ts";
import type { Finding } from "../inspect/findings.ts";

/** The answer to an open question that a step with `answers` observed. */
interface SeenAnswer {
  question: string;
  /** Id of the first answer that matches, or `other`. */
  answer: string;
  /** Differences from our ruling; empty if it was observed. */
  findings: Finding[];
}

/** The open question of a step: the one that it names, else the only `U-` id of its case. */
export function questionOf(tested: Case, named: string | undefined): string {
  if (named !== undefined) return named;
  const questions = tested.requirements.filter((id) => id.startsWith("U-"));
  if (questions.length !== 1) throw new Error(`${tested.id}: a step with answers must name its question`);
  return questions[0] as string;
}

/**
 * Determines the answer of an implementation.
 * @param answers the expectation for each answer.
 * @param judge returns the differences from one expectation.
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

/** True if the implementation declared in `hello` that it follows our ruling on an open question. */
export function isDeclared({ id, ruling }: Requirement, choices: Record<string, string>): boolean {
  return choices[id] === "ruled" || (ruling !== undefined && choices[id] === ruling);
}
