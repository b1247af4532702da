import { loadCases, shippedCorpus } from "../corpus/load_cases.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import { loadRequirements } from "../corpus/load_requirements.ts";
import type { Requirement } from "../corpus/requirement.ts";
import { UsageError } from "./usage_error.ts";

interface Catalogue {
  requirements: Map<string, Requirement>;
  cases: LoadedCase[];
}

function readCatalogue(): Catalogue {
  const requirements = loadRequirements();
  return { requirements, cases: loadCases(shippedCorpus(), requirements) };
}

function casesOf(id: string, cases: LoadedCase[]): string[] {
  return cases.filter((loaded) => loaded.case.requirements.includes(id)).map((loaded) => loaded.case.id);
}

/** The requirements, one a line; with `uncovered` only those that no case checks, with the reason. */
export function requirementsCommand(uncovered: boolean): string {
  const { requirements, cases } = readCatalogue();
  const lines: string[] = [];
  for (const row of requirements.values()) {
    const checking = casesOf(row.id, cases);
    if (uncovered && checking.length > 0) continue;
    const cover = checking.length > 0 ? `${checking.length} cases` : (row.unchecked ?? "no case yet");
    lines.push(`${row.id.padEnd(30)} ${row.level.padEnd(8)} ${row.versions.padEnd(12)} ${row.statement} [${cover}]`);
  }
  return `${lines.join("\n")}\n`;
}

/**
 * One requirement with its cases, or one case with its requirements.
 * @throws {UsageError} when there is neither.
 */
export function explainCommand(id: string): string {
  const { requirements, cases } = readCatalogue();
  const row = requirements.get(id) ?? [...requirements.values()].find((candidate) => candidate.formerly?.includes(id));
  if (row) {
    const checking = casesOf(row.id, cases);
    const cover =
      checking.length > 0 ? checking.map((name) => `  ${name}`) : [`  none: ${row.unchecked ?? "no case yet"}`];
    return [
      `${row.id} (section ${row.section}, ${row.level}, versions ${row.versions})`,
      row.statement,
      "Cases",
      ...cover,
      "",
    ].join("\n");
  }
  const loaded = cases.find((candidate) => candidate.case.id === id);
  if (!loaded) throw new UsageError(`there is no requirement and no case "${id}"`);
  const cited = loaded.requirements.map(
    (requirement) => `  ${requirement.id}, section ${requirement.section}: ${requirement.statement}`,
  );
  return [
    `${id} (${loaded.level})`,
    loaded.case.title,
    "Requirements",
    ...cited,
    "Steps",
    JSON.stringify(loaded.case.steps, null, 2),
    "",
  ].join("\n");
}

/** The ids of all cases, one a line. */
export function casesCommand(): string {
  return readCatalogue()
    .cases.map((loaded) => `${loaded.case.id.padEnd(44)} ${loaded.level.padEnd(8)} ${loaded.case.title}\n`)
    .join("");
}
