/** A mutant as Stryker tells it, with the text that it replaces. */
export interface TestedMutant {
  status: string;
  location: { start: { line: number; column: number }; end: { line: number; column: number } };
  replacement: string;
}

/** A runner is told positions from 0, and so is a reporter of what is planned; what was tried is told from 1. */
export function fromOne({
  location: { start, end },
  replacement,
}: Pick<TestedMutant, "location" | "replacement">): TestedMutant {
  const next = ({ line, column }: { line: number; column: number }) => ({ line: line + 1, column: column + 1 });
  return { status: "", replacement, location: { start: next(start), end: next(end) } };
}

/** A mutant that nothing noticed. */
export interface LeftMutant {
  /** Line and column of the text that is replaced, from 1. */
  at: string;
  was: string;
  became: string;
  /** False when no test runs this code. */
  reached: boolean;
  /** There where only the words of an error, or what it carries, differ. */
  words?: true;
}

/** Longer texts are whole blocks: their beginning says which. */
const LONGEST = 160;

/** Where a mutant is and what it does: the same in every run over the same source. */
export function identityOf(
  source: string,
  { location, replacement }: TestedMutant,
): Pick<LeftMutant, "at" | "was" | "became"> {
  const { start, end } = location;
  const was = source.slice(offsetOf(source, start), offsetOf(source, end));
  return { at: `${start.line}:${start.column}`, was: shortened(was), became: shortened(replacement) };
}

/** One text for a mutant of a file, to compare by. */
export function keyOf({ at, was, became }: Pick<LeftMutant, "at" | "was" | "became">): string {
  return JSON.stringify([at, was, became]);
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
}

/** Positions of Stryker's reports count lines and columns from 1. */
export function offsetOf(source: string, { line, column }: { line: number; column: number }): number {
  let offset = 0;
  for (let passed = 1; passed < line; passed += 1) offset = source.indexOf("\n", offset) + 1;
  return offset + column - 1;
}
