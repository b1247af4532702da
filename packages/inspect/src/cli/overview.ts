import { EXIT } from "@perdura/cli/exit_codes.js";
import { has, valueOf } from "@perdura/cli/option_table.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { writeFileAtomically } from "@perdura/internals/files/atomic_write.js";
import { assertDocumentPlace } from "@perdura/internals/files/places.js";
import { pageAccess } from "@perdura/summary/page/page_access.js";
import { summaryPage } from "@perdura/summary/page/summary_page.js";
import type { Command, OptionName } from "./table.ts";
import { SUMMARY_LIMITS, summarizeData } from "../read/summarize_data.ts";
import { summaryLines, summarySentence } from "../render/summary_text.ts";

/** Shows everything below the targets. */
export const overview: Runner<Command, OptionName> = async (given, { width, paint, progress }) => {
  const html = valueOf(given, "html");
  // Before the data is read, which may take long.
  if (html !== undefined) assertDocumentPlace("html", html);
  const isComplete = html !== undefined || has(given, "json");
  const rows = Number(valueOf(given, "limit") ?? (isComplete ? SUMMARY_LIMITS.rows : 10));
  const summary = await summarizeData(given.words, {
    rows,
    trajectories: isComplete ? SUMMARY_LIMITS.trajectories : rows,
    schema: valueOf(given, "schema"),
    since: valueOf(given, "since"),
    until: valueOf(given, "until"),
    onProgress: progress.print,
  });
  const sentence = summarySentence(summary);
  const lines = html === undefined ? summaryLines(summary, { width, paint }) : [];
  if (html !== undefined) writeFileAtomically(html, (write) => write(summaryPage(summary)), pageAccess([summary]));
  const written = html === undefined ? sentence : `${sentence} Wrote ${shownPath(html)}.`;
  return {
    code: summary.unreadable.length === 0 ? EXIT.done : EXIT.failed,
    summary: written,
    document: summary,
    text: [...lines, written].join("\n"),
  };
};
