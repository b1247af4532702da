import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

export interface ChartLibrary {
  script: string;
  style: string;
}

/**
 * Script and style of uPlot, with its licence, which every copy has to contain. uPlot draws the charts. It is an ordinary
 * dependency of the programs, so its files are read where the package manager has installed them.
 */
export function chartLibrary(): ChartLibrary {
  const { resolve } = createRequire(import.meta.url);
  const read = (file: string): string => readFileSync(resolve(`uplot/${file}`), "utf8").trim();
  return {
    script: `/*! uPlot\n${read("LICENSE").replaceAll("*/", "* /")}\n*/\n${read("dist/uPlot.iife.min.js")}`,
    style: read("dist/uPlot.min.css"),
  };
}
