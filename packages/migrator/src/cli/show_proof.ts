import { countText, numberText } from "@perdura/cli/quantities.js";
import { textOf } from "@perdura/cli/names.js";
import { printable } from "@perdura/cli/terminal.js";
import type { MigrationReport, OtherTable, VerificationReport } from "../core/report.ts";

/** What was compared with what, and what came out. */
export function showProof(verification: VerificationReport, command: MigrationReport["command"]): string[] {
  const { rows_before: before, rows_after: after, rows_quarantined: aside, differences } = verification;
  const { metadata_rows: metadata, rows_added_since: added, other_tables: others } = verification;
  const backFrom = aside > 0 && command === "down" ? ` (${numberText(aside)} of them in quarantine)` : "";
  const into = aside > 0 && command !== "down" ? ` and ${numberText(aside)} in quarantine` : "";
  const parts = [
    ...(before === null
      ? []
      : [`${countText(before, "row")} before${backFrom}, ${numberText(after ?? 0)} after${into}`]),
    ...(metadata === 0 ? [] : [countText(metadata, "metadata text")]),
    ...others.map(({ table, rows, ...apart }) => `${printable(table)}: ${countText(rows, "row")}${inBrackets(apart)}`),
    ...(added === 0 ? [] : [`${countText(added, "row")} recorded since`]),
  ];
  const word = (command === "up" || command === "down") && differences.length === 0 ? "proved" : "compared";
  if (differences.length === 0) return [`  ${word}: ${[...parts, equality(verification)].join("; ")}`];
  return [`  ${word}: ${parts.join("; ")}`, ...differences.map((difference) => `  differs: ${textOf(difference)}`)];
}

function inBrackets({
  quarantined,
  repaired,
  changed_since: changed,
}: Pick<OtherTable, "quarantined" | "repaired" | "changed_since">): string {
  const parts = [
    ...(quarantined > 0 ? [`${numberText(quarantined)} in quarantine`] : []),
    ...(repaired > 0 ? [`${countText(repaired, "value")} repaired`] : []),
    ...(changed > 0 ? [`${numberText(changed)} changed or deleted since`] : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** Nothing is called equal that is not: programs of 16 may change other tables, and somebody else may have. */
function equality({ method, other_tables: others }: VerificationReport): string {
  if (method === "quick") return "counts, ids and schema equal (values were not compared)";
  if (others.some(({ changed_since: changed }) => changed > 0)) return "nothing else differs";
  if (others.some(({ repaired }) => repaired > 0)) return "every other value and storage class equal";
  return method === "pages"
    ? "every page equal but those of the schema, so every value is"
    : "every value and storage class equal";
}
