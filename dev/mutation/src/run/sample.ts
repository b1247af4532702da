import { createHash } from "node:crypto";
import type { TestedMutant } from "../results/left_mutant.ts";

/** Chooses one mutant of so many by what it is, so that the same ones are tried again later. */
export function isInSample(every: number, file: string, { location, replacement }: TestedMutant): boolean {
  if (every === 1) return true;
  const { start, end } = location;
  const identity = [file, start.line, start.column, end.line, end.column, replacement];
  return createHash("sha256").update(JSON.stringify(identity)).digest().readUInt32BE() % every === 0;
}
