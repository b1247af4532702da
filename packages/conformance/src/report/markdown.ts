import { areaOf } from "../corpus/case.ts";
import { escapeControls } from "../values/escape.ts";
import { count, scoreOf } from "../results/conclusion.ts";
import { openQuestions } from "../results/open_questions.ts";
import type { OpenQuestion } from "../results/open_questions.ts";
import { VERDICTS } from "../results/record.ts";
import type { ReportRecord } from "../results/record.ts";
import { lineOf, subjectOf, viewOf } from "../results/report_view.ts";
import type { ReportView } from "../results/report_view.ts";
import { casesByRequirement, requirementWord, sectionName, sectionsOf } from "../results/sections.ts";
import { statusOf } from "../results/case_status.ts";

/** Options of a matrix: the kind of its rows. */
export interface MatrixOptions {
  by?: "requirement" | "area";
}

/**
 * A matrix of the reports of several implementations: the result of each for every requirement (or area), the numbers
 * of verdicts, and the answers to the open questions.
 * @throws {Error} when there is no report, or one has no first or last record.
 * @example markdownMatrix([recordsOfOne, recordsOfAnother], { by: "area" })
 */
export function markdownMatrix(reports: readonly (readonly ReportRecord[])[], options: MatrixOptions = {}): string {
  if (reports.length === 0) throw new Error("a matrix needs at least one report");
  const views = reports.map(viewOf);
  const columns = views.map(columnTitle);
  const rows = options.by === "area" ? areaRows(views) : requirementRows(views);
  const first = options.by === "area" ? ["Area"] : ["Section", "Requirement"];
  const must = views.map((view) => scoreOf(view, "must")).map(({ passed, applicable }) => `${passed}/${applicable}`);
  const totals = [...first.map((_, index) => (index === 0 ? "must passed" : "")), ...must];
  const questions = questionRows(views);
  return [
    "# Conformance",
    "",
    markdownTable(["Verdict", ...columns], verdictRows(views)),
    "",
    options.by === "area" ? "## By area" : "## By requirement",
    "",
    markdownTable([...first, ...columns], [...rows, totals]),
    "",
    "## Open questions",
    "",
    "Where the specification is silent: the observed behaviour of each implementation.",
    "",
    questions.length === 0 ? "None." : markdownTable(["Question", "Ruling of this suite", ...columns], questions),
    "",
  ].join("\n");
}

function columnTitle(view: ReportView): string {
  const line = lineOf(view.run);
  return markdownData(`${subjectOf(view.run)}${line === "" ? "" : ` (line ${line})`}`);
}

function verdictRows(views: readonly ReportView[]): string[][] {
  const rows = VERDICTS.filter((verdict) => views.some(({ end }) => end.counts[verdict] > 0)).map((verdict) => [
    verdict,
    ...views.map(({ end }) => String(end.counts[verdict])),
  ]);
  return [
    ["conformant", ...views.map(({ end }) => (end.conformant ? "yes" : "NO"))],
    ...rows,
    ["cases", ...views.map(({ end }) => String(end.case_files))],
  ];
}

function requirementRows(views: readonly ReportView[]): string[][] {
  const checking = views.map(casesByRequirement);
  // Reports of different versions of the suite may have different requirements: each is listed once, in the order of
  // the first report that has it.
  const sections = sectionsOf({
    ...(views[0] as ReportView),
    requirements: new Map(views.toReversed().flatMap((view) => [...view.requirements])),
  });
  return sections.flatMap((section) =>
    section.rows
      .filter((row) => row.level !== "observe")
      .map((row, index) => [
        index === 0 ? markdownText(sectionName(section)) : "",
        markdownText(row.id),
        ...views.map((view, column) =>
          requirementWord(view.requirements.get(row.id), checking[column]?.get(row.id) ?? [], view),
        ),
      ]),
  );
}

function areaRows(views: readonly ReportView[]): string[][] {
  const areas = [...new Set(views.flatMap(({ cases }) => cases.map(({ id }) => areaOf(id))))].toSorted();
  return areas.map((area) => [markdownText(area), ...views.map((view) => areaCell(area, view))]);
}

/** `12/14 pass, 2 FAIL, 1 not-run`: passed cases of those that apply to the version, and the numbers of the others. */
function areaCell(area: string, view: ReportView): string {
  const cases = view.cases.filter((record) => areaOf(record.id) === area && record.verdict !== "inapplicable");
  if (cases.length === 0) return "n/a";
  const number = (status: string): number => cases.filter((record) => statusOf(record, view) === status).length;
  const parts = [`${cases.filter(({ verdict }) => verdict === "pass").length}/${cases.length} pass`];
  if (number("unexpected") > 0) parts.push(`${number("unexpected")} UNEXPECTED`);
  if (number("expected") > 0) parts.push(`${number("expected")} expected fail`);
  if (number("unscored") > 0) parts.push(`${number("unscored")} fail, not scored`);
  if (number("observed") > 0) parts.push(`${number("observed")} observed`);
  if (number("skipped") > 0) parts.push(`${number("skipped")} without result`);
  return parts.join(", ");
}

function questionRows(views: readonly ReportView[]): string[][] {
  const questions = views.map(openQuestions);
  const ids = [...new Set(questions.flatMap((all) => all.map(({ row }) => row.id)))];
  return ids.map((id) => {
    const own = questions.map((all) => all.find(({ row }) => row.id === id));
    const known = own.find((question) => question !== undefined);
    return [
      markdownText(known?.row.question === undefined ? id : `${id}: ${known.row.question}`),
      markdownText(known?.ruling ?? ""),
      ...own.map((question, column) => answerCell(question, views[column] as ReportView)),
    ];
  });
}

function answerCell(question: OpenQuestion | undefined, view: ReportView): string {
  if (!question) return "";
  const { row, seen, declared } = question;
  const answers = seen.map(({ words, cases }) =>
    seen.length === 1 ? markdownText(words) : `${markdownText(words)} (${count(cases.length, "case")})`,
  );
  const failed = requirementWord(row, casesByRequirement(view).get(row.id) ?? [], view) === "FAIL";
  if (answers.length > 0) return `${failed ? "FAIL: " : ""}${answers.join("; ")}`;
  return declared === undefined ? "not observed" : `not observed; declared: ${markdownData(declared)}`;
}

/**
 * Escapes text for a Markdown table cell: it creates no markup and no link, and does not end the cell.
 * @example markdownText("load_from_json | <b>") // "load_from_json \\| \\<b\\>"
 */
export function markdownText(text: string): string {
  return escapeControls(text)
    .replace(/[\\`*[\]<>|~&]/g, "\\$&")
    .replace(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\_")
    .replace(/:\/\//g, "\\://")
    .replace(/www\./gi, (start) => `${start.slice(0, -1)}\\.`);
}

/**
 * Escapes text from an implementation: plain if it is a harmless word, else a code span, which contains no markup. A
 * code span cannot contain a backslash before the end of a cell, because some readers would end the cell there.
 */
export function markdownData(text: string): string {
  const safe = escapeControls(text);
  if (/^[A-Za-z0-9][A-Za-z0-9 ,;()+.-]*$/.test(safe) && !/www\./i.test(safe)) return safe;
  if (safe.includes("\\|")) return markdownText(text);
  const longest = Math.max(0, ...[...safe.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence} ${safe.replace(/\|/g, "\\|")} ${fence}`;
}

/** A Markdown table with aligned columns, so that the plain text is readable, too. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  // A long statement must not widen every line of its column.
  const padded = widths.map((width) => Math.min(width, 60));
  const line = (cells: readonly string[]): string =>
    `| ${head.map((_, column) => (cells[column] ?? "").padEnd(padded[column] as number)).join(" | ")} |`;
  const rule = `| ${padded.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}
