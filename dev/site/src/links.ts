import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { readBundle } from "./bundles.ts";

/** Links of a built site. */
export interface SiteLinks {
  /** `page: link` for each link to a file or an anchor that does not exist. */
  dead: string[];
  /** External addresses, which were not checked. */
  external: string[];
}

/** Follows all links of the pages, the sidebar and the search to the built files. */
export function followLinks(place: string): SiteLinks {
  const anchors = new Map<string, Set<string>>();
  const dead = new Set<string>();
  const external = new Set<string>();
  for (const { page, link } of linksOf(place)) {
    if (/^[a-z][a-z+.-]*:|^\/\//i.test(link)) external.add(link);
    else if (!leadsSomewhere(join(place, page), link, anchors)) dead.add(`${page}: ${link}`);
  }
  return { dead: [...dead], external: [...external].sort() };
}

/** The pages of a built site, relative to its root. */
export function pagesOf(place: string): string[] {
  return readdirSync(place, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));
}

function* linksOf(place: string): Generator<{ page: string; link: string }> {
  for (const page of pagesOf(place)) {
    const html = readFileSync(join(place, page), "utf8");
    for (const [, link = ""] of html.matchAll(/\s(?:href|src)="([^"]*)"/g)) yield { page, link: decoded(link) };
  }
  // Their links are relative to the root of the site.
  for (const link of addressesIn(readBundle(place, "navigation"))) yield { page: "navigation", link };
  for (const link of addressesIn(readBundle(place, "search"))) yield { page: "search", link };
}

/** The values of `path` and `url`, at any depth. */
function* addressesIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === "string" && (key === "path" || key === "url")) yield inner;
    else yield* addressesIn(inner);
  }
}

function leadsSomewhere(page: string, link: string, anchors: Map<string, Set<string>>): boolean {
  const [path = "", anchor = ""] = link.split("#") as [string, string?];
  const file = path === "" ? page : resolve(dirname(page), decodeURIComponent(path));
  if (extname(file) === "" || !existsSync(file)) return false;
  if (anchor === "") return true;
  let known = anchors.get(file);
  if (known === undefined) {
    known = new Set([...readFileSync(file, "utf8").matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => decoded(id)));
    anchors.set(file, known);
  }
  return known.has(decodeURIComponent(anchor));
}

function decoded(attribute: string): string {
  return attribute.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
