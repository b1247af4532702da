import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countsOf, readResult, type UnitResult } from "./result.ts";
import { type Suite, SUITES, unitsOf } from "./suites.ts";
import { ROOT, units } from "./units.ts";

const PAGE = join(ROOT, "mutation", "README.md");
const [BEGIN, END] = ["<!-- figures -->", "<!-- end of figures -->"];

/** Puts the figures into the page. */
export function writePage(): void {
  const page = readFileSync(PAGE, "utf8");
  const [before = "", rest = ""] = page.split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${figures()}\n\n${END}${rest.split(END)[1] ?? ""}`);
  spawnSync("pnpm", ["exec", "oxfmt", PAGE], { cwd: ROOT });
}

/** The tables of the page, as they must be for the results that there are. */
export function figures(): string {
  return SUITES.map(tableOf).join("\n\n");
}

function tableOf(suite: Suite): string {
  const rows = unitsOf(suite, units()).map((unit) => ({ unit, result: readResult(suite.name, unit.name) }));
  const done = rows.flatMap(({ result }) => (result === undefined ? [] : [result]));
  const lines = rows.map(({ unit, result }) => {
    const note = result === undefined ? "not run yet" : "";
    return `| ${unit.name} | ${cells(result === undefined ? [] : [result])} | ${note} |`;
  });
  return [
    `**${suite.name}** (goal ${Math.round(suite.goal * 100)} %)`,
    "",
    "| folder | mutants | noticed | share | |",
    "| --- | ---: | ---: | ---: | --- |",
    ...lines,
    `| **all** | ${cells(done)} | ${done.length} of ${rows.length} folders |`,
  ].join("\n");
}

function cells(results: readonly UnitResult[]): string {
  if (results.length === 0) return " | | ";
  const { noticed, all } = countsOf(results);
  return `${all} | ${noticed} | ${all === 0 ? "" : `${((noticed / all) * 100).toFixed(1)} %`}`;
}
