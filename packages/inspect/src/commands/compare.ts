import { EXIT } from "@perdura/cli/exit_codes.js";
import { valueOf } from "@perdura/cli/option_table.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { printable } from "@perdura/cli/terminal.js";
import type { Column } from "@perdura/cli/table.js";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { assertDocumentPlace } from "@perdura/internals/files/places.js";
import type { ComparedFact, Comparison } from "@perdura/summary/document.js";
import { comparisonPage } from "@perdura/summary/page/comparison_page.js";
import type { Command, OptionName } from "../cli/table.ts";
import { compareContents } from "@perdura/summary/compare_contents.js";
import { contentsOf } from "../read/contents.ts";
import { tableLines } from "../render/tables.ts";
import { VERSION } from "../version.ts";

const COLUMNS: readonly Column<ComparedFact>[] = [
  { title: "subject", rank: 2, text: ({ subject }) => printable(subject) },
  { title: "fact", rank: 0, text: ({ fact }) => printable(fact) },
  { title: "before", rank: 1, text: ({ before }) => printable(before) },
  { title: "after", rank: 1, text: ({ after }) => printable(after) },
  { title: "result", rank: 1, text: ({ result }) => result },
];

/** Compares two targets. */
export const compare: Runner<Command, OptionName> = async (given, { width, paint }) => {
  const [before = "", after = ""] = given.words;
  const html = valueOf(given, "html");
  if (html !== undefined) assertDocumentPlace("html", html);
  const schema = valueOf(given, "schema");
  const [one, other] = [await contentsOf(before, schema), await contentsOf(after, schema)];
  const [earlier, later] = [one, other].map(({ summary: { targets } }) => shownPath(targets[0] ?? "")) as [
    string,
    string,
  ];
  const facts = compareContents(one.contents, other.contents);
  const different = facts.filter(({ result }) => result !== "same");
  const complete = facts.every(({ result }) => result !== "missing" && result !== "changed");
  const comparison: Comparison = {
    format: "perdura-comparison-1",
    made_at: new Date().toISOString(),
    program: `perdura-inspect ${VERSION}`,
    before: one.summary,
    after: other.summary,
    facts,
    complete,
  };
  if (html !== undefined) writeFileAtomically(html, (write) => write(comparisonPage(comparison)));
  const verdict = complete
    ? `Nothing of ${earlier} is missing in ${later}: ${countText(facts.length, "fact")} compared${different.length === 0 ? "" : `, ${different.length} of them added or in quarantine`}.`
    : `${later} differs from ${earlier}: ${countText(different.length, "difference")} in ${countText(facts.length, "fact")}.`;
  const summary = html === undefined ? verdict : `${verdict} Wrote ${shownPath(html)}.`;
  const lines = tableLines(COLUMNS, facts, width, paint);
  return {
    code: complete ? EXIT.done : EXIT.difference,
    summary,
    document: comparison,
    text: [...lines, "", summary].join("\n"),
  };
};
