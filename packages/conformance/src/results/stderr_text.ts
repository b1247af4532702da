const NAMES_AN_ERROR = /error|exception|panic|traceback|cannot find/i;
const TRACEBACK = /^Traceback \(most recent call last\)/;
/** Maximum length of the line that summarises stderr. */
const LINE = 400;

/**
 * The most useful lines of a program's stderr: all if there are few, else those from the first error on, else the last
 * ones. A longer Python traceback is cut to its end, which names the error.
 * @param limit maximum number of lines.
 */
export function stderrLines(diagnostics: string | undefined, limit = 8): string[] {
  const lines = linesOf(diagnostics);
  if (lines.length <= limit) return lines;
  const start = firstError(lines);
  if (start === undefined) return lines.slice(-limit);
  const end = tracebackEnd(lines, start);
  if (end === undefined || end - start < limit) return lines.slice(start, start + limit);
  return [lines[start] as string, "  …", ...lines.slice(end - limit + 3, end + 1)];
}

/**
 * The most useful line of a program's stderr: the first that names an error, else the last; undefined if stderr is
 * empty. A line that only introduces the error is joined with the next one.
 * @example errorLine("starting\nError: no such file\n    at main") // "Error: no such file"
 */
export function errorLine(diagnostics: string | undefined): string | undefined {
  const lines = linesOf(diagnostics);
  const start = firstError(lines);
  const line = start === undefined ? lines.at(-1) : announced(lines, start);
  return line !== undefined && line.length > LINE ? `${line.slice(0, LINE)}…` : line;
}

function linesOf(diagnostics: string | undefined): string[] {
  const text = (diagnostics ?? "").trimEnd();
  return text === "" ? [] : text.split(/\r?\n/).map((line) => line.replaceAll("\t", "    "));
}

/**
 * Lines with no indent are preferred: indented lines are mostly quoted source code, which names errors that did not
 * happen.
 */
function firstError(lines: readonly string[]): number | undefined {
  const first = lines.findIndex((line) => /^\S/.test(line) && NAMES_AN_ERROR.test(line));
  const index = first >= 0 ? first : lines.findIndex((line) => NAMES_AN_ERROR.test(line));
  return index < 0 ? undefined : index;
}

function announced(lines: readonly string[], start: number): string {
  const line = lines[start] as string;
  const end = tracebackEnd(lines, start);
  if (end !== undefined) return lines[end] as string;
  const next = lines[start + 1]?.trim() ?? "";
  return line.trimEnd().endsWith(":") && next !== "" ? `${line.trim()} ${next}` : line.trim();
}

/** Index of the line that names the error of a traceback which starts here: its first line that is not indented. */
function tracebackEnd(lines: readonly string[], start: number): number | undefined {
  if (!TRACEBACK.test(lines[start] as string)) return undefined;
  const end = lines.findIndex((line, index) => index > start && /^\S/.test(line) && line !== "…");
  return end < 0 ? undefined : end;
}
