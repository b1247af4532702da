const NAMES_AN_ERROR = /error|exception|panic|traceback|cannot find/i;
const TRACEBACK = /^Traceback \(most recent call last\)/;
/** Characters of a line that stands for the whole. */
const LINE = 400;

/**
 * The lines of a program's stderr that tell most: all where they are few, else from the first that names an error on,
 * else the last ones. Of a Python traceback that is longer the end is shown, for there it says what happened.
 * @param limit how many lines at most.
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
 * The one line of a program's stderr that tells most: the first that names an error, else the last; undefined when
 * there is none. A line that only announces the error comes with it.
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

/** Indented lines are mostly quoted source, which names errors that did not happen. */
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

/** Where a traceback that begins here says what happened: its first line that is not indented. */
function tracebackEnd(lines: readonly string[], start: number): number | undefined {
  if (!TRACEBACK.test(lines[start] as string)) return undefined;
  const end = lines.findIndex((line, index) => index > start && /^\S/.test(line) && line !== "…");
  return end < 0 ? undefined : end;
}
