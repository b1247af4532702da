import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Follows the links of all built pages to files and anchors; VitePress checks only pages.
 *
 * @param place The folder of the built site.
 * @param base The path that the site is published at, with a slash at its end.
 * @returns `page: link` for each link to a file or an anchor that does not exist.
 */
export function brokenLinks(place: string, base: string): string[] {
  const pages = new Map(pagesOf(place).map((page) => [page, readFileSync(join(place, page), "utf8")]));
  const anchors = new Map([...pages].map(([page, html]) => [page, new Set(valuesOf(html, "id"))]));
  return [...pages].flatMap(([page, html]) =>
    [...new Set([...valuesOf(html, "href"), ...valuesOf(html, "src")])]
      .filter((link) => !/^[a-z][a-z+.-]*:|^\/\//i.test(link) && !leadsSomewhere(page, link))
      .map((link) => `${page}: ${link}`),
  );

  function leadsSomewhere(page: string, link: string): boolean {
    const { pathname, hash } = new URL(link, new URL(base + page, "http://site"));
    const path = decodeURIComponent(pathname);
    if (!path.startsWith(base)) return false;
    const file = path.slice(base.length).replace(/(?<=^|\/)$/, "index.html");
    if (hash === "") return existsSync(join(place, file));
    return anchors.get(file)?.has(decodeURIComponent(hash.slice(1))) === true;
  }
}

/** The pages of a built site, relative to its root. */
export function pagesOf(place: string): string[] {
  const files = readdirSync(place, { recursive: true, encoding: "utf8" }).map((file) => file.replaceAll("\\", "/"));
  return files.filter((file) => file.endsWith(".html"));
}

function valuesOf(html: string, attribute: "href" | "id" | "src"): string[] {
  return [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, "g"))].map(([, value = ""]) =>
    value.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
  );
}
