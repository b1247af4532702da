import { EXIT } from "@perdura/cli/exit_codes.js";
import { valueOf } from "@perdura/cli/option_table.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { printable } from "@perdura/cli/terminal.js";
import type { Column } from "@perdura/cli/table.js";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { assertDocumentPlace } from "@perdura/internals/files/places.js";
import type { ComparedFact, Comparison } from "@perdura/summary/document.js";
import { comparisonPage } from "@perdura/summary/page/comparison_page.js";
import { pageAccess } from "@perdura/summary/page/page_access.js";
import { reasonsOf } from "./open_source.ts";
import type { Command, OptionName } from "./table.ts";
import { compareContents } from "@perdura/summary/compare_contents.js";
import { comparedText } from "@perdura/summary/compared_text.js";
import { isEmpty } from "@perdura/summary/contents.js";
import { type Side, withContents } from "../read/contents.ts";
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
  const comparison = await withContents(before, schema, (one) => {
    if (isEmpty(one.contents)) throw nothingIn(before, one);
    return withContents(after, schema, async (other): Promise<Comparison> => {
      const found = await compareContents(one.contents, other.contents);
      if (found.complete && found.compared.every((items) => items.before === 0)) throw nothingIn(before, one);
      return {
        format: "perdura-comparison-1",
        made_at: new Date().toISOString(),
        program: `perdura-inspect ${VERSION}`,
        before: one.summary,
        after: other.summary,
        ...found,
      };
    });
  });
  const { facts, complete } = comparison;
  if (html !== undefined)
    writeFileAtomically(
      html,
      (write) => write(comparisonPage(comparison)),
      pageAccess([comparison.before, comparison.after]),
    );
  const [earlier, later] = [comparison.before, comparison.after].map(({ targets: [target = ""] }) => shownPath(target));
  const verdict = `${complete ? `Nothing of ${earlier} is missing in ${later}` : `${later} differs from ${earlier}`}: ${wordsOf(comparison)}.`;
  const summary = html === undefined ? verdict : `${verdict} Wrote ${shownPath(html)}.`;
  const lines = tableLines(COLUMNS, facts, width, paint);
  return {
    code: complete ? EXIT.done : EXIT.difference,
    summary,
    document: comparison,
    text: [...lines, "", summary].join("\n"),
  };
};

function wordsOf({ compared, before, after }: Comparison): string {
  const unreadable = before.unreadable.length + after.unreadable.length;
  return [
    ...(compared.length === 0 ? [] : [comparedText(compared)]),
    ...(unreadable === 0 ? [] : [`${countText(unreadable, "path")} cannot be read`]),
  ].join("; ");
}

/** The error for a target without data: a comparison that compares nothing must not look like a success. */
function nothingIn(target: string, { summary: { targets, unreadable } }: Side): StorageError {
  return new StorageError(`found nothing to compare in ${shownPath(targets[0] ?? target)}.${reasonsOf(unreadable)}`);
}
