import { breakdownFirst, commonComplaints } from "../common_complaints.ts";
import { count } from "../conclusion.ts";
import { likelyRequirement } from "../likely_requirement.ts";
import type { ReportView } from "../report_view.ts";
import { hasFailed, MANY, needsAttention } from "../standing.ts";
import { caseLink } from "./case_card.ts";
import { markup } from "./markup.ts";
import type { Markup } from "./markup.ts";

/** With many failures: what several complain about alike, the requirement to begin with, and what needs attention. */
export function whereToBegin(view: ReportView): Markup {
  const failed = view.cases.filter((record) => hasFailed(record, view)).length;
  const likely = likelyRequirement(view);
  if (!likely || failed < MANY) return markup``;
  const attention = view.cases.filter((record) => needsAttention(record, view)).length;
  const complaints = commonComplaints(view);
  const items = complaints.map(({ text, example }) => markup`<li>${text} (see ${caseLink(example)})</li>`);
  const breakdown = breakdownFirst(complaints, failed);
  const first = breakdown
    ? markup`${caseLink(breakdown.example)}, where the adapter breaks down`
    : markup`<a href="#${likely.row.id}" class="mono">${likely.row.id}</a> (${count(likely.cases, "case")})`;
  return markup`<p class="begin">Begin with ${first}, or see <a href="#attention=1">only the ${attention} cases that need attention</a>.</p>
${
  items.length === 0
    ? undefined
    : markup`<div class="remarks"><b>Most frequent complaints</b><ul>${items}</ul></div>
`
}`;
}
