import type { DefaultTheme } from "vitepress";
import type { NavigationItem, NavigationJSON } from "typedoc-plugin-markdown";
import type { Page } from "./pages.ts";

/**
 * The sidebar: the sections with their pages. On the pages of a package it begins with that package, its modules and
 * their names; on others they are absent, because all names together are several hundred.
 */
export function sidebar(pages: Page[], reference: NavigationJSON): DefaultTheme.SidebarMulti {
  const sections = [...new Set(pages.map(({ section }) => section))].map((section) => ({
    text: section,
    items: pages
      .filter((page) => page.section === section)
      .map(({ title, address }) => ({ text: title, link: linkTo(address) })),
  }));
  const packages = reference.map((item): [string, DefaultTheme.SidebarItem[]] => {
    const own = itemOf(item);
    return [own.link as string, [{ ...own, collapsed: false }, ...sections]];
  });
  return { "/": sections, ...Object.fromEntries(packages) };
}

function itemOf({ title, path, children }: NavigationItem): DefaultTheme.SidebarItem {
  const item = { text: title, link: linkTo((path as string).replace(/\.md$/, "")) };
  return children === undefined ? item : { ...item, collapsed: true, items: children.map(itemOf) };
}

/** The address of a page from the root of the site. */
function linkTo(address: string): string {
  return `/${address.replace(/(^|\/)index$/, "$1")}`;
}
