import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

export interface ChartLibrary {
  script: string;
  style: string;
}

/** uPlot formats numbers by the language of the browser. In the locale "C", Chromium calls it "en-US@posix", which throws. */
const USABLE_LANGUAGE = `try { new Intl.NumberFormat(navigator.language); } catch {
  Object.defineProperty(navigator, "language", { value: "en-US" });
}`;

/**
 * Script and style of uPlot, with its licence, which every copy has to contain. uPlot draws the charts. It is an ordinary
 * dependency of the programs, so its files are read where the package manager has installed them.
 */
export function chartLibrary(): ChartLibrary {
  const { resolve } = createRequire(import.meta.url);
  const read = (file: string): string => readFileSync(resolve(`uplot/${file}`), "utf8").trim();
  return {
    script: `/*! uPlot\n${read("LICENSE").replaceAll("*/", "* /")}\n*/\n${USABLE_LANGUAGE}\n${read("dist/uPlot.iife.min.js")}`,
    style: read("dist/uPlot.min.css"),
  };
}
