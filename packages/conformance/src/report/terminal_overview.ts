import { escapeControls } from "../values/escape.ts";
import { count } from "./conclusion.ts";
import { repeatCommand } from "./repeat_command.ts";
import type { ReportView } from "./report_view.ts";
import { hasFailed, MANY } from "./standing.ts";
import { sectionName, troubledSections, worstRequirement } from "./sections.ts";
import type { TroubledSection } from "./sections.ts";

const NAMED = 3;

/**
 * For a run with many failures: the sections they belong to, most cases first, and the requirement to begin with.
 * No line when there are few.
 */
export function whereToBegin(view: ReportView): string[] {
  const cases = view.cases.filter((record) => hasFailed(record, view));
  const troubled = troubledSections(view);
  if (cases.length < MANY || troubled.length === 0) return [];
  const widest = Math.max(...troubled.map(({ section }) => title(section).length));
  const broadest = Math.max(...troubled.map(({ cases: number }) => count(number, "case").length));
  const lines = troubled.map(
    ({ section, cases: number, requirements }) =>
      `  ${title(section).padEnd(widest)}  ${count(number, "case").padStart(broadest)}  ${named(requirements)}`,
  );
  return [`Failed by requirement (${count(cases.length, "case")})`, ...lines, ...begin(view)];
}

function title(section: TroubledSection["section"]): string {
  return escapeControls(sectionName(section));
}

function named(requirements: TroubledSection["requirements"]): string {
  const first = requirements.slice(0, NAMED).map(({ row, cases }) => `${row.id} (${cases})`);
  const rest = requirements.length - first.length;
  return escapeControls([...first, ...(rest > 0 ? [`${rest} more`] : [])].join(", "));
}

function begin(view: ReportView): string[] {
  const worst = worstRequirement(view);
  if (!worst) return [];
  return [
    `Begin with ${escapeControls(`${worst.row.id}: ${worst.row.statement}`)}`,
    `  ${escapeControls(repeatCommand(view.run, { requirement: worst.row.id }))}`,
  ];
}
