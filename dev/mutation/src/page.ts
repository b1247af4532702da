import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withParts } from "../../tools/pages/marked_parts.ts";
import { table } from "../../tools/pages/markdown_table.ts";
import { type ConformanceFigures, type Figures, readFigures, type WholeFigures } from "./figures.ts";
import { LEFT_OPEN } from "./left_open.ts";
import { concerns, sourceFolders } from "./sources.ts";

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
  const sources = sourceFolders(root);
  const figures = readFigures(root);
  return withParts(join(root, PAGE), {
    figures: figuresTable(figures, sources),
    "not tried": notTried(figures, sources),
    "left open": LEFT_OPEN.map(({ files, why }) => `- ${files.map((file) => `\`${file}\``).join(", ")}: ${why}`).join(
      "\n",
    ),
  });
}

export function writePage(root: string): void {
  writeFileSync(join(root, PAGE), pageNow(root));
}

type Sources = ReadonlyMap<string, readonly string[]>;

/** Samples are in no sum: they say nothing of the other mutants. */
export function figuresTable(figures: Figures, sources: Sources): string {
  const rows = Object.entries(figures).map(([folder, { conformance, whole }]) => [
    `\`${folder}\``,
    ...(conformance ? ofSuite(conformance) : [whyNone(folder, sources), "", "", ""]),
    ...(whole ? [told(whole, whole.all), String(whole.open)] : ["not tried", ""]),
    datesOf(conformance, whole),
  ]);
  const complete = <One extends { one_of?: number }>(all: (One | undefined)[]): One[] =>
    all.filter((one): one is One => one !== undefined && one.one_of === undefined);
  const conformance = complete(Object.values(figures).map((one) => one.conformance));
  const whole = complete(Object.values(figures).map((one) => one.whole));
  const { found, determined, asked, reached, all } = sum(conformance);
  const ofWhole = sum(whole);
  const together = [
    "together, without samples",
    ...[determined, asked, reached, all].map((of) => percent(found, of)),
    percent(ofWhole.found, ofWhole.all),
    String(ofWhole.open),
    "",
  ];
  return table(HEAD, [...rows, together]);
}

function ofSuite(figures: ConformanceFigures): string[] {
  const { found, determined, asked, reached, all } = figures;
  return [told(figures, determined), percent(found, asked), percent(found, reached), percent(found, all)];
}

function whyNone(folder: string, sources: Sources): string {
  return sources.get(folder)?.some((file) => concerns("conformance", file)) ? "not tried" : "not judged by it";
}

/** The share, and which part was tried. A sample has no share. */
function told({ found, files, one_of: oneOf }: ConformanceFigures | WholeFigures, of: number): string {
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

function sum(all: readonly object[]): Record<"found" | "determined" | "asked" | "reached" | "all" | "open", number> {
  const of = (name: string): number =>
    all.reduce<number>((total, one) => total + ((one as Record<string, number>)[name] ?? 0), 0);
  const [found, determined, asked] = [of("found"), of("determined"), of("asked")];
  return { found, determined, asked, reached: of("reached"), all: of("all"), open: of("open") };
}

/** Rounded down: a share is never better than what was seen. */
function percent(found: number, of: number): string {
  return of === 0 ? "no mutants" : `${(Math.floor((found * 1000) / of) / 10).toFixed(1)} % (${found} of ${of})`;
}

function notTried(figures: Figures, sources: Sources): string {
  const folders = [...sources.keys()].filter((folder) => figures[folder] === undefined);
  return folders.length === 0 ? "No folder." : folders.map((folder) => `\`${folder}\``).join(", ");
}
