import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withParts } from "../../../tools/pages/marked_parts.ts";
import { figures, keptReports } from "./figures.ts";

const PAGE = join("docs", "reliability.md");

/** The page, with the figures of the stored reports. */
export function pageNow(root: string): string {
  return withParts(join(root, PAGE), { figures: figures(keptReports(root)) });
}

export function writePage(root: string): void {
  writeFileSync(join(root, PAGE), pageNow(root));
}
