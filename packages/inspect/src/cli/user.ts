import { EXIT } from "@perdura/cli/exit_codes.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { printable } from "@perdura/cli/terminal.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { assertDocumentPlace } from "@perdura/internals/files/places.js";
import { isAddress } from "@perdura/internals/text/addresses.js";
import { summarizeUser } from "@perdura/summary/one_user.js";
import { accessOf } from "@perdura/summary/page/page_access.js";
import { userPage } from "@perdura/summary/page/user_page.js";
import type { Command, OptionName } from "./table.ts";
import { withMetrics } from "./open_source.ts";
import { inRange, rangeOf } from "./range.ts";
import { metricsLines } from "../render/summary_text.ts";
import { INTERACTION_COLUMNS, tableLines } from "../render/tables.ts";
import { PROGRAM } from "../version.ts";

/** Lengths of the list of operations on a terminal, and in a document. */
const [ON_TERMINAL, IN_DOCUMENT] = [10, 1000];

/** Shows one user: statistics, the last days, breakdowns and the newest operations. */
export const showUser: Runner<Command, OptionName> = async (given, { width, paint }) => {
  const [, user = ""] = given.words;
  const html = valueOf(given, "html");
  if (html !== undefined) assertDocumentPlace("html", html);
  const isComplete = html !== undefined || has(given, "json");
  const limit = Number(valueOf(given, "limit") ?? (isComplete ? IN_DOCUMENT : ON_TERMINAL));
  const range = rangeOf(given);
  const { place, report } = await withMetrics(given, async ({ database, metrics }) => {
    const found = await summarizeUser(metrics, user, limit, range);
    if (found === undefined)
      throw new UsageError(`${shownPath(database.path)}: no operations of the user ${JSON.stringify(user)}.`);
    return { place: database.path, report: found };
  });
  if (html !== undefined) {
    const page = userPage({
      user_id: user,
      path: place,
      program: PROGRAM,
      made_at: new Date().toISOString(),
      ...report,
    });
    writeFileAtomically(html, (write) => write(page), accessOf(isAddress(place) ? [] : [place]));
  }
  const { metrics, interactions } = report;
  const sentence = `${countText(metrics.operations, "operation")} of ${printable(user)} in ${shownPath(place)}${inRange(range)}.`;
  const summary = html === undefined ? sentence : `${sentence} Wrote ${shownPath(html)}.`;
  const lines =
    html === undefined
      ? [
          ...metricsLines(metrics, { width, paint }),
          "",
          ...tableLines(INTERACTION_COLUMNS, interactions, width, paint),
          "",
        ]
      : [];
  return {
    code: EXIT.done,
    summary,
    document: { path: place, user_id: user, ...report },
    text: [...lines, summary].join("\n"),
  };
};
