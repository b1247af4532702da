import { readCorpus } from "../corpus/corpus.ts";
import type { LoadedCase } from "../corpus/load_cases.ts";
import type { Requirement } from "../corpus/requirement.ts";
import { neededCapabilities } from "../runner/selection.ts";
import { UsageError } from "./usage_error.ts";

function casesOf(id: string, cases: readonly LoadedCase[]): string[] {
  return cases.filter((loaded) => loaded.case.requirements.includes(id)).map((loaded) => loaded.case.id);
}

/** The requirements, one a line; with `uncovered` only those that no case checks, with the reason. */
export function requirementsCommand({
  uncovered = false,
  json = false,
}: {
  uncovered?: boolean;
  json?: boolean;
}): string {
  const { requirements, cases } = readCorpus();
  const rows = [...requirements.values()]
    .map((row) => ({ ...row, cases: casesOf(row.id, cases) }))
    .filter((row) => !uncovered || row.cases.length === 0);
  if (json) return `${JSON.stringify(rows, null, 2)}\n`;
  return rows
    .map((row) => {
      const cover = row.cases.length > 0 ? `${row.cases.length} cases` : (row.unchecked ?? "no case yet");
      return `${row.id.padEnd(30)} ${row.level.padEnd(8)} ${row.versions.padEnd(12)} ${row.statement} [${cover}]\n`;
    })
    .join("");
}

/**
 * One requirement with its cases, or one case with its requirements.
 * @throws {UsageError} when there is neither.
 */
export function explainCommand(id: string): string {
  const { requirements, cases } = readCorpus();
  const row = requirements.get(id) ?? [...requirements.values()].find((candidate) => candidate.formerly?.includes(id));
  const loaded = cases.find((candidate) => candidate.case.id === id);
  if (row) return explainRequirement(row, casesOf(row.id, cases));
  if (loaded) return explainCase(loaded);
  throw new UsageError(`there is no requirement and no case "${id}"`);
}

function explainRequirement(row: Requirement, checking: string[]): string {
  const lines = [`${row.id} (section ${row.section}, ${row.level}, versions ${row.versions})`, row.statement];
  if (row.formerly) lines.push(`Formerly ${row.formerly.join(", ")}`);
  if (row.question !== undefined) {
    lines.push("", "The specification leaves open", `  ${row.question}`, "Known answers");
    for (const [answer, words] of Object.entries(row.answers ?? {}))
      lines.push(`  ${answer.padEnd(16)} ${words}${answer === row.ruling ? "  (the ruling)" : ""}`);
  }
  const cover = checking.length > 0 ? checking : [`none: ${row.unchecked ?? "no case yet"}`];
  return `${[...lines, "", "Cases", ...cover.map((name) => `  ${name}`)].join("\n")}\n`;
}

function explainCase(loaded: LoadedCase): string {
  const { id, title, steps, versions } = loaded.case;
  const ranges = [...new Set([versions ?? "*", ...loaded.requirements.map((row) => row.versions)])];
  const needed = [...new Set([...neededCapabilities(loaded, "15.0.0"), ...neededCapabilities(loaded, "16.0.0")])];
  return `${[
    `${id} (${loaded.level}, versions ${ranges.filter((range) => range !== "*").join(" ") || "*"})`,
    title,
    "",
    "Requirements",
    ...loaded.requirements.map((row) => `  ${row.id}, section ${row.section}: ${row.statement}`),
    "Capabilities",
    `  ${needed.join(", ") || "none"}`,
    "Steps",
    JSON.stringify(steps, null, 2),
  ].join("\n")}\n`;
}

/** The ids of all cases, one a line. */
export function casesCommand({ json = false }: { json?: boolean }): string {
  const { cases } = readCorpus();
  const rows = cases.map(({ case: { id, title, requirements }, level }) => ({ id, level, title, requirements }));
  if (json) return `${JSON.stringify(rows, null, 2)}\n`;
  return rows.map(({ id, level, title }) => `${id.padEnd(44)} ${level.padEnd(8)} ${title}\n`).join("");
}
