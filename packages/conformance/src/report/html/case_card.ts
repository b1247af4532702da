import { escapeControls } from "../../values/escape.ts";
import { expectationText, placeOf, reasonOf } from "../../results/case_text.ts";
import { answersSeen } from "../../results/open_questions.ts";
import type { CaseRecord, Failure } from "../../results/record.ts";
import { repeatCommand } from "../../results/report_view.ts";
import type { ReportView } from "../../results/report_view.ts";
import { BREACH, hasBreach, isBreach, needsAttention, statusOf } from "../../results/case_status.ts";
import { stderrLines } from "../../results/stderr_text.ts";
import { joined, markup, preformatted } from "./markup.ts";
import type { Markup } from "./markup.ts";

/** The id of a case's element, for links. */
export function caseAnchor(id: string): string {
  return `case-${id}`;
}

/** A link to a case on the same page. */
export function caseLink(id: string): Markup {
  return markup`<a href="#${caseAnchor(id)}" class="mono">${id}</a>`;
}

/** The verdict as a coloured label. */
export function verdictChip(record: CaseRecord, view: ReportView): Markup {
  return markup`<span class="chip ${statusOf(record, view)}">${record.verdict}</span>`;
}

/** One case; expands to the expected and the actual values. Expanded at first if it needs attention. */
export function caseCard(record: CaseRecord, view: ReportView): Markup {
  const attention = needsAttention(record, view);
  const sections = record.requirements.flatMap((id) => view.requirements.get(id)?.section ?? []);
  const time = view.timing?.cases[record.id];
  const reason = reasonOf(record);
  return markup`<details class="case" id="${caseAnchor(record.id)}" data-id="${record.id}" data-verdict="${record.verdict}" data-level="${record.level}" data-sections="${[...new Set(sections)].join(" ")}"${attention ? markup` data-attention open` : undefined}>
<summary>${verdictChip(record, view)}<span class="title">${record.title}</span><span class="notes">${marks(record, view)}<span class="mono">${record.id}</span>${time === undefined ? undefined : markup`<span>${milliseconds(time)}</span>`}</span></summary>
<div class="body">${deviations(record, view)}${expectation(record)}${reason === undefined ? undefined : markup`<p>${reason}</p>`}${record.failures.filter(isBreach).map(breach)}${record.failures.filter((failure) => !isBreach(failure)).map((failure) => failureBlock(failure, record.verdict === "observed"))}${stderr(record)}${answers(record, view)}${footnotes(record, view)}</div>
</details>
`;
}

function marks(record: CaseRecord, view: ReportView): Markup[] {
  const words: string[] = [];
  if (record.expected?.met === true) words.push("expected");
  if (view.unexpected.has(record.id) && record.expected) words.push("not as expected");
  if (statusOf(record, view) === "unscored") words.push("not scored");
  if (record.as_ruled === false) words.push("differs from our ruling");
  const tags = words.map((word) => markup`<span class="tag">${word}</span>`);
  return hasBreach(record) ? [markup`<span class="tag loud">${BREACH}</span>`, ...tags] : tags;
}

function deviations(record: CaseRecord, view: ReportView): Markup[] {
  const isCounted = record.expected !== undefined || record.verdict === "pass";
  return isCounted
    ? (view.unexpected.get(record.id) ?? []).map((what) => markup`<p class="loud">Unexpected: ${what}</p>`)
    : [];
}

function expectation(record: CaseRecord): Markup | undefined {
  const { expected } = record;
  if (!expected) return undefined;
  const link =
    expected.link !== undefined && /^https?:\/\//i.test(expected.link)
      ? markup` <a href="${expected.link}" rel="noopener noreferrer">tracked here</a>`
      : undefined;
  return markup`<p class="quiet">Expected failure: ${expectationText(record)}${link}</p>`;
}

/** Files that the case left outside its directory. */
function breach({ got }: Failure): Markup {
  return markup`<p class="loud">This case ${BREACH}: <code>${got}</code></p>`;
}

/** A difference. If it was only observed, it is a difference from our ruling, not a fault. */
function failureBlock(failure: Failure, observed: boolean): Markup {
  const { wanted, got } = difference(failure.wanted, failure.got);
  return markup`<div class="failure"><p class="place">${placeOf(failure)}</p>${(failure.given ?? []).map((line) => markup`<p class="given"><code>${line}</code></p>`)}
<dl class="diff${observed ? " neutral" : ""}"><div class="wanted"><dt>${observed ? "our ruling" : "expected"}</dt><dd>${wanted}</dd></div><div class="got"><dt>got</dt><dd>${got}</dd></div></dl></div>
`;
}

function stderr(record: CaseRecord): Markup | undefined {
  const lines = stderrLines(record.diagnostics, 200);
  return lines.length === 0
    ? undefined
    : markup`<p class="place">stderr</p><pre class="stderr" tabindex="0">${preformatted(lines)}</pre>`;
}

function answers(record: CaseRecord, view: ReportView): Markup[] {
  return answersSeen(record, view).map(
    ({ row, words, declared }) =>
      markup`<p><a href="#${row.id}" class="mono">${row.id}</a> observed: ${words}${declared === undefined ? undefined : markup`; declared: ${declared}`}</p>`,
  );
}

function footnotes(record: CaseRecord, view: ReportView): Markup {
  const links = record.requirements.map((id) => markup`<a href="#${id}" class="mono">${id}</a>`);
  // Each word is an element, so that lines break between options and not inside one.
  const words = repeatCommand(view.run, record)
    .split(" ")
    .map((word) => markup`<span>${word}</span>`);
  return markup`<p class="quiet">Checks ${joined(links, ", ")}</p>
<div class="again"><code>${joined(words, " ")}</code><button type="button" class="copy" hidden></button></div>`;
}

function milliseconds(time: number): string {
  return time < 1000 ? `${Math.round(time)} ms` : `${(time / 1000).toFixed(1)} s`;
}

/** A text in three parts: the common beginning, the difference, the common end. */
interface Parts {
  before: string;
  middle: string;
  after: string;
}

/** The expected and the actual text with the difference marked. Texts that have too little in common have no marks. */
export function difference(wanted: string, got: string): { wanted: Markup; got: Markup } {
  const [left, right] = split(escapeControls(wanted), escapeControls(got));
  return { wanted: marked(left), got: marked(right) };
}

function split(wanted: string, got: string): [Parts, Parts] {
  // By code points, so that no surrogate pair is split.
  const [a, b] = [Array.from(wanted), Array.from(got)];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const worthwhile = start + end >= 4 && start + end >= shorter / 4;
  const parts = (all: string[], whole: string): Parts =>
    worthwhile
      ? {
          before: all.slice(0, start).join(""),
          middle: all.slice(start, all.length - end).join(""),
          after: all.slice(all.length - end).join(""),
        }
      : { before: whole, middle: "", after: "" };
  return [parts(a, wanted), parts(b, got)];
}

function marked({ before, middle, after }: Parts): Markup {
  return middle === "" ? markup`${before + after}` : markup`${before}<mark>${middle}</mark>${after}`;
}
