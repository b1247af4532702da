import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourceFolders } from "../sources.ts";
import { figures } from "./figures.ts";
import { leftOpenList } from "./left_open_list.ts";
import { notTriedList } from "./not_tried_list.ts";

/** The page, with its figures as the results have them. */
export function pageNow(root: string): string {
  const sources = sourceFolders(root);
  const page = readFileSync(join(root, "mutation", "README.md"), "utf8");
  const parts = {
    figures: figures(root, sources),
    "not tried": notTriedList(root, sources),
    "left open": leftOpenList(),
  };
  return Object.entries(parts).reduce((text, [name, part]) => between(text, name, part), page);
}

export function writeTable(root: string): void {
  writeFileSync(join(root, "mutation", "README.md"), pageNow(root));
}

/** @throws {Error} when the page has lost a mark. */
function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`mutation/README.md: ${begin} and ${end} were expected`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
