import { markupText } from "../values/escape.ts";
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
  const [label, message] = [markupText(badge.label), markupText(badge.message)];
  const [left, right] = [widthOf(badge.label), widthOf(badge.message)];
  const [labelBox, messageBox] = [left + 14, right + 14];
  const whole = labelBox + messageBox;
  const text = (middle: number, width: number, words: string): string =>
    `<text x="${middle}" y="14" textLength="${width}" lengthAdjust="spacingAndGlyphs">${words}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${whole}" height="20" role="img" aria-label="${label}: ${message}">
  <title>${label}: ${message}</title>
  <path fill="#40464f" d="M${labelBox} 0H3A3 3 0 0 0 0 3V17A3 3 0 0 0 3 20H${labelBox}Z"/>
  <path fill="${hex}" d="M${labelBox} 0H${whole - 3}A3 3 0 0 1 ${whole} 3V17A3 3 0 0 1 ${whole - 3} 20H${labelBox}Z"/>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,'DejaVu Sans',sans-serif" font-size="11">
    ${text(labelBox / 2, left, label)}
    ${text(labelBox + messageBox / 2, right, message)}
  </g>
</svg>
`;
}

/** Width in pixels at 11 px. An estimate is enough: `textLength` fits the text to its box. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text)
    width += /[ijl.,:;|!'()/ ]/.test(character) ? 4.2 : /[mwMW]/.test(character) ? 10.4 : 6.8;
  return Math.ceil(width);
}
