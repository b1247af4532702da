import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withParts } from "../../../tools/pages/marked_parts.ts";
import { sourceFolders } from "../sources.ts";
import { figures } from "./figures.ts";
import { leftOpenList } from "./left_open_list.ts";
import { notTriedList } from "./not_tried_list.ts";

const PAGE = join("dev", "mutation", "README.md");

/** The page, with its figures as the results have them. */
export function pageNow(root: string): string {
  const sources = sourceFolders(root);
  return withParts(join(root, PAGE), {
    figures: figures(root, sources),
    "not tried": notTriedList(root, sources),
    "left open": leftOpenList(),
  });
}

export function writeTable(root: string): void {
  writeFileSync(join(root, PAGE), pageNow(root));
}
