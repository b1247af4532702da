import type { NavigationItem, NavigationJSON } from "typedoc-plugin-markdown";
import { PACKAGES } from "./packages.ts";

/** The menu that leads from one line to the other. */
export interface LineChoice {
  text: string;
  items: { text: string; link: string }[];
}

/** Addresses of the lines, beginning with the one that most readers need. */
const LINES = PACKAGES.filter(({ slug }) => slug.startsWith("perdura-"));

/**
 * Makes the menu of a page: on a page of a line's reference, the other item leads to the page of the same name, if the
 * other line exports it; everywhere else, the items lead to the packages.
 *
 * @param page Path of the page among the site's pages; undefined for pages that are not of a line.
 */
export function lineChoice(reference: NavigationJSON, page?: string): LineChoice {
  const current = LINES.find(({ slug }) => page?.startsWith(`${slug}/`));
  const name = current && pagesOf(reference, current.slug).find(({ path }) => path === page)?.title;
  const items = LINES.map((line) => {
    const same = pagesOf(reference, line.slug).find(({ title }) => title === name);
    const path = line === current ? page : same?.path;
    return { text: line.title, link: `/${(path ?? `${line.slug}/`).replace(/(?:index)?\.md$/, "")}` };
  });
  return { text: current?.title ?? "perdura 16 / 15", items };
}

/** The modules and names of a package. */
function pagesOf(reference: NavigationJSON, slug: string): NavigationItem[] {
  const packaged = reference.find(({ path }) => path === `${slug}/index.md`);
  const flat = (items: NavigationItem[] = []): NavigationItem[] =>
    items.flatMap((item) => [item, ...flat(item.children)]);
  return flat(packaged?.children);
}
