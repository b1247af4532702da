import type { FileResult, Survivor, UnitResult } from "./result.ts";

/** What is read of Stryker's JSON report. */
export interface StrykerReport {
  files: Record<string, { source: string; mutants: StrykerMutant[] }>;
}

interface StrykerMutant {
  mutatorName: string;
  replacement?: string;
  status: "Killed" | "Timeout" | "Survived" | "NoCoverage" | "CompileError" | "RuntimeError" | "Ignored" | "Pending";
  location: { start: Position; end: Position };
}

interface Position {
  line: number;
  column: number;
}

/** More of a change than that is not needed to find it. */
const LONGEST = 120;

/**
 * What a report says, in few words.
 *
 * @param digest Of a file as it is without mutants.
 */
export function resultFrom({ files }: StrykerReport, digest: (file: string) => string): UnitResult {
  return Object.fromEntries(
    Object.entries(files)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([file, { source, mutants }]) => [file, fileResult(source, mutants, digest(file))]),
  );
}

function fileResult(source: string, mutants: readonly StrykerMutant[], sha256: string): FileResult {
  const count = (status: StrykerMutant["status"]): number =>
    mutants.filter((mutant) => mutant.status === status).length;
  const unjudged = mutants.find(({ status }) => status === "Pending");
  if (unjudged !== undefined) throw new Error(`a mutant in line ${unjudged.location.start.line} was not judged`);
  return {
    sha256,
    killed: count("Killed"),
    timeout: count("Timeout"),
    unloadable: count("RuntimeError"),
    survivors: mutants
      .filter(({ status }) => status === "Survived" || status === "NoCoverage")
      .map((mutant) => survivorFrom(source, mutant))
      .toSorted((one, other) => one.line - other.line || one.column - other.column),
  };
}

function survivorFrom(source: string, { mutatorName, replacement = "", status, location }: StrykerMutant): Survivor {
  const { start, end } = location;
  return {
    line: start.line,
    column: start.column,
    mutator: mutatorName,
    was: short(textBetween(source, start, end)),
    became: short(replacement),
    status: status === "Survived" ? "survived" : "uncovered",
  };
}

function textBetween(source: string, start: Position, end: Position): string {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? "").slice(0, end.column - 1);
  lines[0] = (lines[0] ?? "").slice(start.column - 1);
  return lines.join("\n");
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
