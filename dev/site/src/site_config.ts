import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NavigationJSON } from "typedoc-plugin-markdown";
import type { DefaultTheme, UserConfig } from "vitepress";
import { brokenLinks } from "./broken_links.ts";
import { githubAnchor } from "./github_anchor.ts";
import { lineChoice } from "./line_choice.ts";
import { linkPreview } from "./link_preview.ts";
import { PACKAGES } from "./packages.ts";
import { pageDescription } from "./page_description.ts";
import type { Page } from "./pages.ts";
import type { Publication } from "./publication.ts";
import { repositoryLinks, sourceOf } from "./repository_links.ts";
import { SEARCH } from "./search.ts";
import { sidebar } from "./sidebar.ts";

/** The folder of the pages that VitePress reads: copies of the repository's, and the reference. */
export const FOLDER: string = fileURLToPath(new URL("../.vitepress/pages", import.meta.url));

/**
 * The configuration of VitePress.
 *
 * @param pages The pages of the repository.
 * @param reference The packages with their modules and names.
 * @param publication The address of the site gives the base path and the sitemap; the one of the repository gives links
 * to its files and for editing.
 */
export function siteConfig(
  pages: Page[],
  reference: NavigationJSON,
  { site, repository }: Publication,
): UserConfig<DefaultTheme.Config> {
  const base = site?.pathname ?? "/";
  return {
    title: "perdura",
    description: "Durable storage for AI agents",
    lang: "en-GB",
    base,
    srcDir: FOLDER,
    outDir: "dist",
    // Otherwise every page would contain the sidebars.
    metaChunk: true,
    ignoreDeadLinks: false,
    head: [["link", { rel: "icon", href: `${base}favicon.svg` }]],
    ...(site === undefined ? {} : { sitemap: { hostname: site.href } }),
    // The index of the search is one file.
    vite: { build: { chunkSizeWarningLimit: 4096 } },
    markdown: {
      // Comments of the themes by default have too little contrast.
      theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
      anchor: { slugify: githubAnchor },
      config: (markdown) => repositoryLinks(markdown, { pages, folder: FOLDER, repository }),
    },
    transformPageData({ relativePath, frontmatter }) {
      const source = sourceOf(relativePath, pages);
      const description = pageDescription(readFileSync(join(FOLDER, relativePath), "utf8"));
      frontmatter["lineChoice"] = lineChoice(reference, relativePath);
      if (source === undefined || repository === undefined) frontmatter["editLink"] = false;
      else frontmatter["editAddress"] = `${repository}/edit/main/${source}`;
      if (source !== undefined) return { description };
      frontmatter["pageClass"] = "reference";
      // Both lines export the same names.
      return { description, titleTemplate: PACKAGES.find(({ slug }) => relativePath.startsWith(`${slug}/`))?.title };
    },
    transformHead: ({ title, description }) => linkPreview(title, description, site),
    buildEnd({ outDir }) {
      const broken = brokenLinks(outDir, base);
      if (broken.length > 0) throw new Error(`${outDir} has broken links:\n${broken.join("\n")}`);
    },
    themeConfig: {
      logo: "/favicon.svg",
      nav: [
        { text: "Guides", link: "/guides/getting-started", activeMatch: "^/(?:guides|upgrading|scaling-out|faq)" },
        { component: "LineSwitch", props: { choice: lineChoice(reference) } },
        {
          text: "Packages",
          items: PACKAGES.filter(({ slug }) => !slug.startsWith("perdura-")).map(({ title, slug }) => ({
            text: title,
            link: `/${slug}/`,
          })),
        },
        { text: "Errors", link: "/errors" },
      ],
      sidebar: sidebar(pages, reference),
      outline: { level: [2, 3] },
      search: SEARCH,
      editLink: { pattern: ({ frontmatter }) => frontmatter["editAddress"] as string, text: "Edit this page" },
      notFound: {
        title: "Page not found",
        quote: "It may have another address now. The search finds pages by their text.",
        linkText: "Go to the front page",
      },
      ...(repository === undefined ? {} : { socialLinks: [{ icon: "github", link: repository }] }),
    },
  };
}
