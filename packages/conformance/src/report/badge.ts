import { drawBadge } from "./draw_badge.ts";
import { concludeReport } from "./conclusion.ts";
import type { Outcome } from "./conclusion.ts";
import type { ReportRecord } from "./record.ts";
import { openQuestions } from "./open_questions.ts";
import { lineOf, viewOf, type ReportView } from "./report_view.ts";

/** Response of a shields.io endpoint. */
interface Badge {
  schemaVersion: 1;
  label: string;
  message: string;
  color: string;
}

const COLOURS: Record<Outcome, [name: string, hex: string]> = {
  conformant: ["brightgreen", "#2c7a3f"],
  "conformant-but": ["yellow", "#8a6100"],
  "as-expected": ["yellow", "#8a6100"],
  incomplete: ["lightgrey", "#5f6670"],
  "not-conformant": ["red", "#b3261e"],
  "no-judgement": ["lightgrey", "#5f6670"],
};

function badgeOf(records: readonly ReportRecord[]): { badge: Badge; hex: string } {
  const view = viewOf(records);
  const { outcome, must } = concludeReport(view);
  const [color, hex] = COLOURS[outcome];
  const label = ["conformance", lineOf(view.run), ...(view.run.profile === null ? [] : [`(${view.run.profile})`])];
  const counts = [`${must.passed}/${must.applicable} must`, ...rulings(view)];
  const message = outcome === "no-judgement" ? "no judgement" : counts.join(", ");
  return { badge: { schemaVersion: 1, label: label.filter((part) => part !== "").join(" "), message, color }, hex };
}

/** Number of our rulings that every case observed, and of the questions that were reached; nothing if none was. */
function rulings(view: ReportView): string[] {
  const reached = openQuestions(view).filter(({ seen }) => seen.length > 0);
  const followed = reached.filter(({ seen }) => seen.every(({ asRuled }) => asRuled));
  return reached.length === 0 ? [] : [`${followed.length}/${reached.length} rulings`];
}

/**
 * The badge as JSON for a shields.io endpoint, for example `conformance 16 | 162/162 must, 51/54 rulings`.
 * @throws {Error} when the first or last record is missing.
 */
export function badgeReport(records: readonly ReportRecord[]): string {
  return `${JSON.stringify(badgeOf(records).badge, null, 2)}\n`;
}

/**
 * The same badge as a self-contained SVG image.
 * @throws {Error} when the first or last record is missing.
 */
export function badgeSvg(records: readonly ReportRecord[]): string {
  const { badge, hex } = badgeOf(records);
  return drawBadge(badge.label, badge.message, hex);
}
