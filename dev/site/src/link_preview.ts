import type { HeadConfig } from "vitepress";

/** Name of the picture in the site, drawn by dev/tools/link_picture.ts. */
export const LINK_PICTURE = "link.png";

/**
 * Facts that messengers and social networks show for a link to a page.
 *
 * @param site The address of the site. The picture needs it, and is left out if it is not known.
 */
export function linkPreview(title: string, description: string, site: URL | undefined): HeadConfig[] {
  const facts: Record<string, string> = { type: "website", site_name: "perdura", title, description };
  if (site !== undefined) {
    facts["image"] = new URL(LINK_PICTURE, site).href;
    facts["image:alt"] =
      "perdura: durable storage for AI agents. A call records a tool call, another one tells which tool fails";
  }
  return [
    ...Object.entries(facts).map(([name, content]): HeadConfig => ["meta", { property: `og:${name}`, content }]),
    ["meta", { name: "twitter:card", content: site === undefined ? "summary" : "summary_large_image" }],
  ];
}
