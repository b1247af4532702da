import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withParts } from "../../tools/pages/marked_parts.ts";
import { table } from "../../tools/pages/markdown_table.ts";
import { readExplanations } from "./explanations.ts";
import { type ConformanceFigures, type Figures, readFigures, type WholeFigures } from "./figures.ts";

const PAGE = join("dev", "mutation", "README.md");

const HEAD = [
  "folder",
  "conformance suite alone",
  "what is left open not found",
  "of what it reaches",
  "of all mutants",
  "whole suite",
  "neither found nor explained",
  "measured",
];

/** The page with the committed figures. */
export function pageNow(root: string): string {
  const figures = readFigures(root);
  const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");
  const leftOpen = readExplanations(root).left_open.map(({ files, why }) => `- ${code(files)}: ${why}`);
  return withParts(join(root, PAGE), {
    figures: figuresTable(figures),
    "left open": leftOpen.join("\n"),
  });
}

export function writePage(root: string): void {
  writeFileSync(join(root, PAGE), pageNow(root));
}

/** Samples are in no sum: they say nothing of the other mutants. */
export function figuresTable(figures: Figures): string {
  const rows = Object.entries(figures).map(([folder, { conformance, whole }]) => [
    `\`${folder}\``,
    ...suiteCells(conformance),
    ...wholeCells(whole),
    datesOf(conformance, whole),
  ]);
  const complete = Object.values(figures).filter(({ whole }) => whole?.one_of === undefined);
  const conformance = sum(complete.flatMap((one) => one.conformance ?? []));
  const whole = sum(complete.flatMap((one) => one.whole ?? []));
  return table(HEAD, [...rows, ["together, without samples", ...suiteCells(conformance), ...wholeCells(whole), ""]]);
}

function suiteCells(figures: ConformanceFigures | undefined): string[] {
  if (!figures) return ["–", "–", "–", "–"];
  const { found, determined, asked, reached, all } = figures;
  return [shareOf(figures, determined), ...[asked, reached, all].map((of) => percent(found, of))];
}

function wholeCells(figures: WholeFigures | undefined): string[] {
  return figures ? [shareOf(figures, figures.all), String(figures.open)] : ["–", "–"];
}

/** The share, and which part was tried. A sample has no share. */
function shareOf({ found, files, one_of: oneOf }: ConformanceFigures | WholeFigures, of: number): string {
  const share = oneOf === undefined ? percent(found, of) : `${found} of ${of} mutants, a sample of one in ${oneOf}`;
  return files === undefined ? share : `${share}, ${files} files`;
}

function datesOf(conformance: ConformanceFigures | undefined, whole: WholeFigures | undefined): string {
  const [first, second] = [conformance, whole].map((one) => (one ? dateOf(one) : undefined));
  if (first === undefined || second === undefined || first === second) return first ?? second ?? "";
  return `suite alone: ${first}; whole: ${second}`;
}

function dateOf({ measured, commit }: ConformanceFigures | WholeFigures): string {
  return commit === undefined ? `until ${measured}, former program` : `${measured}, \`${commit}\``;
}

function sum<Counted extends ConformanceFigures | WholeFigures>(all: readonly Counted[]): Counted {
  const total: Record<string, number> = {};
  for (const [name, count] of all.flatMap((one) => Object.entries(one)))
    if (typeof count === "number") total[name] = (total[name] ?? 0) + count;
  return total as unknown as Counted;
}

/** Rounded down: a share is never better than what was seen. */
function percent(found: number, of: number): string {
  return of === 0 ? "no mutants" : `${(Math.floor((found * 1000) / of) / 10).toFixed(1)} % (${found} of ${of})`;
}
