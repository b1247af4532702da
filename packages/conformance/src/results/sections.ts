import type { CaseRecord, RequirementRecord } from "./record.ts";
import type { ReportView } from "./report_view.ts";
import { FAILED_VERDICTS, hasFailed, statusOf } from "./case_status.ts";

/** One section of the specification with its requirements. */
interface Section {
  id: string;
  title: string;
  /** Stated requirements first, then open questions, then hardening. */
  rows: RequirementRecord[];
}

/** Number and title; a group that is not a section of the specification, such as the hardening, has no number. */
export function sectionName({ id, title }: Pick<Section, "id" | "title">): string {
  return /^\d/.test(id) ? `${id} ${title}` : title;
}

/** The sections in the order of the specification. */
export function sectionsOf(view: ReportView): Section[] {
  const sections = new Map<string, RequirementRecord[]>();
  for (const row of view.requirements.values()) sections.set(row.section, [...(sections.get(row.section) ?? []), row]);
  return [...sections]
    .map(([id, rows]) => ({
      id,
      title: (rows.find(({ level }) => level === "must" || level === "should") ?? (rows[0] as RequirementRecord)).title,
      rows: rows.toSorted((a, b) => rank(a) - rank(b)),
    }))
    .toSorted((a, b) => compareSections(a.id, b.id));
}

function rank(row: RequirementRecord): number {
  return ["must", "should", "observe", "extra"].indexOf(row.level);
}

/** Compares section numbers as numbers: 2.10 follows 2.9. */
function compareSections(a: string, b: string): number {
  const [left, right] = [a.split("."), b.split(".")];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = Number(left[index] ?? -1) - Number(right[index] ?? -1);
    if (difference !== 0) return Number.isNaN(difference) ? Number(a > b) - Number(a < b) : difference;
  }
  return 0;
}

/** The cases of every requirement, by its id, in the order of the cases. */
export function casesByRequirement(view: ReportView): Map<string, CaseRecord[]> {
  const found = new Map<string, CaseRecord[]>();
  for (const record of view.cases)
    for (const id of record.requirements) found.set(id, [...(found.get(id) ?? []), record]);
  return found;
}

/** A section with failed cases, and their requirements, most cases first. */
export interface TroubledSection {
  section: Section;
  cases: number;
  requirements: { row: RequirementRecord; cases: number }[];
}

/**
 * Sections and requirements by the number of cases that failed unexpectedly, so that an implementer knows where to
 * begin. Cases that were skipped for a missing capability are not counted.
 */
export function troubledSections(view: ReportView): TroubledSection[] {
  const checking = casesByRequirement(view);
  const troubled = sectionsOf(view).map((section) => {
    const ids = new Set<string>();
    const requirements = section.rows.map((row) => {
      const cases = (checking.get(row.id) ?? []).filter((record) => hasFailed(record, view));
      for (const record of cases) ids.add(record.id);
      return { row, cases: cases.length };
    });
    return {
      section,
      cases: ids.size,
      requirements: requirements.filter(({ cases }) => cases > 0).toSorted((a, b) => b.cases - a.cases),
    };
  });
  return troubled.filter(({ cases }) => cases > 0).toSorted((a, b) => b.cases - a.cases);
}

/** Summary of the cases of one requirement as a word for a table cell. The worst case decides. */
type RequirementWord =
  | "FAIL"
  | "expected fail"
  | "fail, not scored"
  | "unsupported"
  | "partly run"
  | "not run"
  | "n/a"
  | "observed"
  | "pass"
  | "no case"
  | "";

/**
 * The word for one requirement.
 * @param row undefined if the report does not have the requirement.
 */
export function requirementWord(
  row: RequirementRecord | undefined,
  cases: readonly CaseRecord[],
  view: ReportView,
): RequirementWord {
  if (!row) return "";
  if (cases.length === 0) return "no case";
  const statuses = new Set(cases.map((record) => statusOf(record, view)));
  const verdicts = new Set(cases.map((record) => record.verdict));
  const applicable = cases.filter((record) => record.verdict !== "inapplicable");
  // An unexpected pass violates the expected-failure list, not the requirement.
  if (cases.some((record) => statusOf(record, view) === "unexpected" && FAILED_VERDICTS.has(record.verdict)))
    return "FAIL";
  if (statuses.has("expected")) return "expected fail";
  if (statuses.has("unscored")) return "fail, not scored";
  if (verdicts.has("unsupported")) return "unsupported";
  if (applicable.length === 0) return "n/a";
  if (verdicts.has("not-run"))
    return applicable.some(({ verdict }) => verdict !== "not-run") ? "partly run" : "not run";
  return verdicts.has("pass") ? "pass" : "observed";
}
