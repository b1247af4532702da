import { join } from "node:path";
import { loadRequirements } from "../../../packages/conformance/src/corpus/requirements.ts";
import type { Requirement } from "../../../packages/conformance/src/corpus/requirements.ts";
import { packageRoot } from "../../../packages/conformance/src/package_root.ts";
import { table } from "../../tools/pages/markdown_table.ts";
import { withParts } from "../../tools/pages/marked_parts.ts";
import { readAlsoFound } from "./also_found.ts";
import { lineOf, mutantId, slugOf } from "./mutant_id.ts";
import { MUTANTS } from "./mutants/all.ts";
import type { Mutant } from "./mutants/mutations.ts";
import { TOLERANCES } from "./tolerances.ts";

/**
 * The results of the self-test in the form of `schemas/selftest.schema.json`. They are stated here and not measured: the
 * tests of this folder fail for each one that does not hold.
 */
function resultsNow(): Record<string, Record<string, unknown>> {
  const byCase = Map.groupBy(MUTANTS, ({ kills }) => kills);
  return {
    cases: Object.fromEntries(
      [...byCase]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([id, mutants]) => [id, mutants.map(mutantRow)]),
    ),
    tolerant_implementations: Object.fromEntries(
      TOLERANCES.map(({ name, line, choices, misses = [] }) => [
        slugOf(name),
        { lines: line === undefined ? ["15", "16"] : [lineOf(line)], choices, misses, verdict: "conformant" },
      ]),
    ),
  };
}

const mutantRow = (mutant: Mutant): object => ({
  mutant: mutantId(mutant),
  line: lineOf(mutant.line),
  requirement: mutant.requirement,
  verdict: "fail",
});

/** The data in the package of the suite and the page, with the results as they are now. */
export function resultFiles(): Map<string, string> {
  const page = join(packageRoot(), "..", "..", "docs", "self-test.md");
  return new Map([
    [join(packageRoot(), "selftest.json"), dataText(resultsNow())],
    [
      page,
      withParts(page, {
        figures: figuresTable(),
        "tolerant implementations": tolerancesTable(),
        mutants: mutantTables(),
      }),
    ],
  ]);
}

/** One line for each case and implementation, so that a change of one is a change of its line. */
function dataText(results: Record<string, Record<string, unknown>>): string {
  const parts = Object.entries(results).map(([name, rows]) => {
    const lines = Object.entries(rows).map(([key, row]) => `    ${JSON.stringify(key)}: ${JSON.stringify(row)}`);
    return `  ${JSON.stringify(name)}: {\n${lines.join(",\n")}\n  }`;
  });
  return `{\n${parts.join(",\n")}\n}\n`;
}

/** Mutants that further cases of their requirement find. */
function foundByMore(): number {
  const listed = readAlsoFound();
  return MUTANTS.filter((mutant) => Object.hasOwn(listed, mutantId(mutant))).length;
}

function figuresTable(): string {
  const rows: [string, number][] = [
    ["mutants", MUTANTS.length],
    ["requirements that they break", new Set(MUTANTS.map(({ requirement }) => requirement)).size],
    ["found only by the named case, of the cases of their requirement", MUTANTS.length - foundByMore()],
    ["cases that find them", new Set(MUTANTS.map(({ kills }) => kills)).size],
    ["tolerant implementations", TOLERANCES.length],
  ];
  return table(
    ["", "number"],
    rows.map(([what, number]) => [what, String(number)]),
  );
}

/** A name with its identifiers as code: Markdown takes `__proto__` for bold text. */
const marked = (name: string): string => name.replaceAll(/\w*_\w*/g, "`$&`");

function tolerancesTable(): string {
  return table(
    [
      "an implementation that …",
      "lines",
      "its other answers to open questions",
      "cases of the level should that it fails",
    ],
    TOLERANCES.map(({ name, line, choices, misses = [] }) => [
      marked(name),
      line === undefined ? "15, 16" : lineOf(line),
      Object.entries(choices)
        .map(([id, answer]) => `\`${id}\`: ${answer}`)
        .join("; "),
      misses.map((id) => `\`${id}\``).join(", "),
    ]),
  );
}

/** A table for each section of the specification. */
function mutantTables(): string {
  const requirements = loadRequirements();
  const parts = Map.groupBy(MUTANTS, ({ requirement }) => headingOf(requirements.get(requirement), requirement));
  return [...parts].map(([heading, mutants]) => `### ${heading}\n\n${mutantTable(mutants)}`).join("\n\n");
}

function headingOf(requirement: Requirement | undefined, id: string): string {
  if (requirement === undefined) throw new Error(`there is no requirement ${id}`);
  if (id.startsWith("U-")) return "Open questions";
  if (id.startsWith("X-")) return "Beyond the specification";
  return `Section ${requirement.section}: ${requirement.title}`;
}

function mutantTable(mutants: readonly Mutant[]): string {
  return table(
    ["requirement", "an implementation that …", "line", "is found by"],
    mutants.map(({ requirement, name, line, kills }) => [
      `\`${requirement}\``,
      marked(name),
      lineOf(line),
      `\`${kills}\``,
    ]),
  );
}
