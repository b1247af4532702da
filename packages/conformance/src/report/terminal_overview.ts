import { escapeControls } from "../values/escape.ts";
import { breakdownFirst, commonComplaints } from "./common_complaints.ts";
import type { Complaint } from "./common_complaints.ts";
import { count } from "./conclusion.ts";
import { likelyRequirement } from "./likely_requirement.ts";
import { repeatCommand } from "./repeat_command.ts";
import type { ReportView } from "./report_view.ts";
import { hasFailed, MANY } from "./standing.ts";
import { sectionName, troubledSections } from "./sections.ts";
import type { TroubledSection } from "./sections.ts";

const NAMED = 3;

/**
 * For a run with many failures: the sections they belong to, most cases first, what several complain about alike,
 * and the requirement to begin with. No line when there are few.
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
  const complaints = commonComplaints(view);
  return [
    `Failed by requirement (${count(cases.length, "case")})`,
    ...lines,
    ...alike(complaints),
    ...begin(view, complaints, cases.length),
  ];
}

function title(section: TroubledSection["section"]): string {
  return escapeControls(sectionName(section));
}

function named(requirements: TroubledSection["requirements"]): string {
  const first = requirements.slice(0, NAMED).map(({ row, cases }) => `${row.id} (${cases})`);
  const rest = requirements.length - first.length;
  return escapeControls([...first, ...(rest > 0 ? [`${rest} more`] : [])].join(", "));
}

function alike(complaints: readonly Complaint[]): string[] {
  if (complaints.length === 0) return [];
  const lines = complaints.map(({ text, example }) => `  ${escapeControls(`${text} (see ${example})`)}`);
  return ["Most frequent complaints", ...lines];
}

function begin(view: ReportView, complaints: readonly Complaint[], failed: number): string[] {
  const breakdown = breakdownFirst(complaints, failed);
  if (breakdown)
    return [
      "Begin with the first of these: the adapter breaks down",
      `  ${escapeControls(repeatCommand(view.run, { case: breakdown.example }))}`,
    ];
  const likely = likelyRequirement(view);
  if (!likely) return [];
  return [
    `Begin with ${escapeControls(`${likely.row.id}: ${likely.row.statement}`)}`,
    `  ${escapeControls(repeatCommand(view.run, { requirement: likely.row.id }))}`,
  ];
}
