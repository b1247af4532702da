import { escapeControls } from "../values/escape.ts";
import { count } from "./conclusion.ts";
import { excerpts } from "./excerpts.ts";
import { openQuestions } from "./open_questions.ts";
import type { CaseRecord } from "./record.ts";
import type { ReportView } from "./report_view.ts";
import { standingOf } from "./standing.ts";
import { errorLine } from "./stderr_text.ts";
import { isShortRun } from "./terminal_cases.ts";

const NAMED = 3;
const VALUE = 100;

/** What failed and does not count, a line each, under a heading that says so. Nothing in a short run, which has blocks. */
export function uncountedFailures(view: ReportView): string[] {
  const failed = view.cases.filter((record) => standingOf(record, view) === "unscored");
  if (failed.length === 0 || isShortRun(view)) return [];
  return [
    `${count(failed.length, "failure")} that ${failed.length === 1 ? "does" : "do"} not count (not scored)`,
    ...failed.map((record) =>
      escapeControls(`  ${record.verdict}  ${record.id}: ${record.title} (${inShort(record)})`),
    ),
  ];
}

function inShort({ failures: [first], reason, verdict, diagnostics }: CaseRecord): string {
  if (first) {
    const [wanted, got] = excerpts(first, VALUE);
    return `wanted ${wanted}, got ${got}`;
  }
  const said = verdict === "crash" ? errorLine(diagnostics) : undefined;
  return `${reason ?? verdict}${said === undefined ? "" : `; stderr: ${said}`}`;
}

/**
 * Where the specification is silent: every answer but our own, in words, with what was declared. Nothing in a short run,
 * which has blocks.
 */
export function observedDifferently(view: ReportView): string[] {
  if (isShortRun(view)) return [];
  const unscored = new Set(view.cases.filter((record) => !record.scored).map(({ id }) => id));
  return openQuestions(view).flatMap(({ row, seen, declared }) =>
    seen.flatMap(({ words, asRuled, cases }) => {
      const own = asRuled ? [] : cases.filter((id) => unscored.has(id));
      if (own.length === 0) return [];
      const said = declared === undefined ? "" : `; declared: ${declared}`;
      return [`observed differently  ${escapeControls(`${row.id}: ${words} (${named(own)})${said}`)}`];
    }),
  );
}

function named(ids: readonly string[]): string {
  const rest = ids.length - NAMED;
  return `${ids.slice(0, NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
