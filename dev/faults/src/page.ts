import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadRequirements } from "../../../packages/conformance/src/corpus/requirements.ts";
import { table } from "../../tools/pages/markdown_table.ts";
import { withParts } from "../../tools/pages/marked_parts.ts";
import type { Evidence } from "./judge_fault.ts";
import { readResults } from "./results.ts";
import { IMPLEMENTATIONS, readFaults, type SeededFault } from "./seeded_fault.ts";

const PAGE = join("dev", "faults", "README.md");

/** A fault with what the suite said. */
interface Judged extends SeededFault {
  language: string;
  evidence: Evidence;
}

/** Levels of evidence in the words of the page. */
const FOUND = ["must", "should", "ruling", "hardening", "nothing"] as const;
type Found = (typeof FOUND)[number];

const WORDS = { must: "must", should: "should", observe: "ruling", extra: "hardening" } as const;

const foundBy = ({ level }: Evidence): Found => (level === undefined ? "nothing" : WORDS[level]);

/** The page with the committed results. */
export function pageNow(root: string): string {
  const results = readResults(root);
  const faults = IMPLEMENTATIONS.flatMap((implementation) =>
    readFaults(root, implementation).map((fault): Judged => {
      const evidence = results[implementation.name]?.[fault.name];
      if (evidence === undefined)
        throw new Error(`${implementation.name}/${fault.name} has no result: run pnpm faults`);
      return { ...fault, language: implementation.language, evidence };
    }),
  );
  return withParts(join(root, PAGE), {
    totals: totals(faults),
    kinds: kinds(faults),
    unseen: unseen(faults),
    faults: table(["fault", "effect", "found by", "case"], faults.map(rowOf)),
  });
}

export function writePage(root: string): void {
  writeFileSync(join(root, PAGE), pageNow(root));
}

function totals(faults: readonly Judged[]): string {
  const effects = ["loses data", "wrong answer", "untidy"] as const;
  const rows = IMPLEMENTATIONS.flatMap(({ language }) =>
    effects.flatMap((effect) => {
      const these = faults.filter((fault) => fault.language === language && fault.effect === effect);
      if (these.length === 0) return [];
      return [[language, effect, String(these.length), ...FOUND.map((found) => countOf(these, found))]];
    }),
  );
  const all = ["together", "", String(faults.length), ...FOUND.map((found) => countOf(faults, found))];
  return table(["implementation", "effect", "faults", ...FOUND], [...rows, all]);
}

const countOf = (faults: readonly Judged[], found: Found): string =>
  String(faults.filter(({ evidence }) => foundBy(evidence) === found).length);

/** Faults of kinds that no case found once, each with the statement that it breaks. */
function kinds(faults: readonly Judged[]): string {
  const requirements = loadRequirements();
  const rows = faults.flatMap((fault) => {
    if (fault.breaks === undefined) return [];
    const { kind, requirement } = fault.breaks;
    const statement = requirements.get(requirement)?.statement ?? "no such requirement";
    const [shown = "", , ...found] = rowOf(fault);
    return [[kind, shown, `${requirement}: ${statement.replaceAll("|", "\\|")}`, ...found]];
  });
  return table(["kind", "fault", "sentence", "found by", "case"], rows);
}

function unseen(faults: readonly Judged[]): string {
  return faults
    .filter(({ evidence }) => foundBy(evidence) === "nothing")
    .map(({ language, text, unseen: why = "no reason is known" }) => `- ${language}: ${text}: ${why}`)
    .join("\n");
}

function rowOf({ language, text, effect, evidence }: Judged): string[] {
  const shown = `${language}: ${text}`.replaceAll("|", "\\|");
  return [shown, effect, foundBy(evidence), evidence.case === undefined ? "" : `\`${evidence.case}\``];
}
