import { drawBadge } from "./draw_badge.ts";
import { concludeReport } from "../results/conclusion.ts";
import type { Outcome } from "../results/conclusion.ts";
import type { ReportRecord } from "../results/record.ts";
import { openQuestions } from "../results/open_questions.ts";
import { lineOf, viewOf, type ReportView } from "../results/report_view.ts";

const COLOURS: Record<Outcome, string> = {
  conformant: "#2c7a3f",
  "conformant-but": "#8a6100",
  "as-expected": "#8a6100",
  incomplete: "#5f6670",
  "not-conformant": "#b3261e",
  "no-judgement": "#5f6670",
};

/**
 * The badge as a self-contained SVG image, for example `conformance 16 | 162/162 must, 51/54 rulings`.
 * @throws {Error} when the first or last record is missing.
 */
export function badgeSvg(records: readonly ReportRecord[]): string {
  const view = viewOf(records);
  const { outcome, must } = concludeReport(view);
  const label = ["conformance", lineOf(view.run), ...(view.run.profile === null ? [] : [`(${view.run.profile})`])];
  const counts = [`${must.passed}/${must.applicable} must`, ...rulings(view)];
  const message = outcome === "no-judgement" ? "no judgement" : counts.join(", ");
  return drawBadge(label.filter((part) => part !== "").join(" "), message, COLOURS[outcome]);
}

/** Number of our rulings that every case observed, and of the questions that were reached; nothing if none was. */
function rulings(view: ReportView): string[] {
  const reached = openQuestions(view).filter(({ seen }) => seen.length > 0);
  const followed = reached.filter(({ seen }) => seen.every(({ asRuled }) => asRuled));
  return reached.length === 0 ? [] : [`${followed.length}/${reached.length} rulings`];
}
