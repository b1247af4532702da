import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withParts } from "../../../tools/pages/marked_parts.ts";
import { figures, keptReports, trialsSentence } from "./figures.ts";

const PAGE = join("docs", "reliability.md");

/** The page, with the figures of the stored reports. */
export function pageNow(root: string): string {
  return withParts(join(root, PAGE), { figures: figures(keptReports(root)) });
}

/** README.md with the trials of the stored reports, in a row of its table. */
export function readmeNow(root: string): string {
  const text = readFileSync(join(root, "README.md"), "utf8");
  const row = /^(\| kills, [^|]*\| )[^|]*( \|)/m;
  if (!row.test(text)) throw new Error("README.md: expected the row of pnpm soak");
  return text.replace(row, (_, begin: string, end: string) => `${begin}${trialsSentence(keptReports(root))}${end}`);
}

export function writePages(root: string): void {
  writeFileSync(join(root, PAGE), pageNow(root));
  writeFileSync(join(root, "README.md"), readmeNow(root));
}
