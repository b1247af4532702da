import { escapeControls } from "../values/escape.ts";
import { type ChangedCase, changesBetween } from "../results/changes.ts";
import { count, scoreOf } from "../results/conclusion.ts";
import { lineOf, type ReportView, subjectOf } from "../results/report_view.ts";

/** The differences between two runs as text, the worst first. */
export function changesText(earlier: ReportView, later: ReportView): string {
  const { worse, better, other, added, removed, answers } = changesBetween(earlier, later);
  const ran = worse.filter(({ now }) => now !== "not-run");
  const unrun = worse.length - ran.length;
  const blocks = [
    [`from ${nameOf(earlier)}`, `to   ${nameOf(later)}`],
    listed("Worse", ran),
    unrun === 0 ? [] : [`Passed before, not run now: ${count(unrun, "case")}`],
    listed("Better", better),
    listed("Changed otherwise", other),
    listed("New", added),
    listed("Gone", removed),
    answers.length === 0
      ? []
      : [
          `Open questions that are answered otherwise (${answers.length})`,
          ...answers.map(({ id, was, now }) => `  ${id}: ${was} -> ${now}`),
        ],
    [worse, better, other, added, removed, answers].every((list) => list.length === 0) ? ["Nothing changed."] : [],
    [changesSummary(earlier, later)],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map(escapeControls).join("\n"))
    .join("\n\n")}\n`;
}

/** `must passed: 200/210 -> 208/212; 2 cases worse, 3 better`; a case that is not run any more is worse. */
export function changesSummary(earlier: ReportView, later: ReportView): string {
  const { worse, better } = changesBetween(earlier, later);
  const must = [earlier, later]
    .map((view) => scoreOf(view, "must"))
    .map(({ passed, applicable }) => `${passed}/${applicable}`);
  return `must passed: ${must.join(" -> ")}; ${count(worse.length, "case")} worse, ${better.length} better`;
}

function nameOf(view: ReportView): string {
  const line = lineOf(view.run);
  return `${subjectOf(view.run)}${line === "" ? "" : ` (line ${line})`}, judged by perdura-conformance ${view.run.suite}`;
}

function listed(title: string, cases: readonly ChangedCase[]): string[] {
  if (cases.length === 0) return [];
  const width = Math.max(...cases.map(({ id }) => id.length));
  return [
    `${title} (${cases.length})`,
    ...cases.map(
      ({ id, level, was, now, title: words }) => `  ${id.padEnd(width)}  ${level}, ${verdicts(was, now)}: ${words}`,
    ),
  ];
}

function verdicts(was: ChangedCase["was"], now: ChangedCase["now"]): string {
  if (was === null || now === null) return now ?? was ?? "";
  return was === now ? `${now} in other checks` : `${was} -> ${now}`;
}
