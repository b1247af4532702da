import { areaOf } from "../corpus/case.ts";
import type { CaseRecord } from "./record.ts";
import type { ReportView } from "./report_view.ts";
import { casesByRequirement, sectionsOf } from "./sections.ts";
import type { TroubledSection } from "./sections.ts";
import { hasFailed } from "./standing.ts";

/** Areas whose cases go through several operations or somebody else's files: they fail for causes that lie elsewhere. */
export const ROUNDABOUT_AREAS: ReadonlySet<string> = new Set(["cross-line", "cross-format", "migration"]);
/** Requirements that need nearly everything else to hold first. */
const ROUNDABOUT: ReadonlySet<string> = new Set(["R-4.1/foreign-files", "R-4.2/foreign-files", "R-9/cross-line"]);
const LEVELS = ["must", "should", "observe", "extra"] as const;

/** True where what fails is most likely what the case is about. */
function isDirect(requirement: string, { id }: CaseRecord): boolean {
  return !ROUNDABOUT.has(requirement) && !ROUNDABOUT_AREAS.has(areaOf(id));
}

/**
 * The requirement to begin with: must before should, what fails in cases of its own before what fails only on the way
 * through other files and formats, then the one with most such cases; of several the first in the specification.
 */
export function likelyRequirement(view: ReportView): TroubledSection["requirements"][number] | undefined {
  const checking = casesByRequirement(view);
  return sectionsOf(view)
    .flatMap(({ rows }) => rows)
    .map((row) => {
      const failed = (checking.get(row.id) ?? []).filter((record) => hasFailed(record, view));
      return { row, cases: failed.length, direct: failed.filter((record) => isDirect(row.id, record)).length };
    })
    .filter(({ cases }) => cases > 0)
    .toSorted(
      (a, b) => LEVELS.indexOf(a.row.level) - LEVELS.indexOf(b.row.level) || b.direct - a.direct || b.cases - a.cases,
    )[0];
}
