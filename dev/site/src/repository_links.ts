import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, posix, relative } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import type { Page } from "./pages.ts";
import { inRepository } from "./repository.ts";

type Token = ReturnType<MarkdownRenderer["parse"]>[number];

/**
 * Makes the links of the pages, which lead to files of the repository, lead to pages of the site. A link to a file or
 * folder that the site does not have leads to the repository if its address is known; otherwise it becomes text.
 *
 * @param folder The folder of the site's pages.
 * @param repository The address of the repository.
 */
export function repositoryLinks(
  markdown: MarkdownRenderer,
  { pages, folder, repository }: { pages: Page[]; folder: string; repository: string | undefined },
): void {
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    const here = (env as { relativePath: string }).relativePath;
    const source = sourceOf(here, pages);
    if (source === undefined) return;
    const inFolder = relative(dirname(join(folder, here)), inRepository("."));
    for (const { children } of tokens)
      for (const [index, token] of (children ?? []).entries())
        if (token.type === "link_open") followLink(token, (children as Token[]).slice(index));
        else if (token.type === "image") pointToFile(token, source, inFolder);

    function followLink(link: Token, [, ...rest]: Token[]): void {
      const [words] = rest as [Token];
      const [, path = "", anchor = ""] = /^([^#]*)(.*)$/.exec(link.attrGet("href") ?? "") as RegExpExecArray;
      if (path === "" || /^[a-z][a-z+.-]*:|^\//i.test(path)) return;
      const target = posix.join(posix.dirname(source as string), decodeURIComponent(path)).replace(/\/$/, "");
      const page = pages.find((known) => known.path === target || known.path === posix.join(target, "README.md"));
      // Otherwise the link leads to a name of the reference, or nowhere, which VitePress reports.
      if (page !== undefined) {
        link.attrSet("href", `/${page.address}.md${anchor}`);
        // Texts that are a path of the repository say less than the title of the page.
        if (words.type === "text" && `/${page.path}`.replace(/\/README\.md$/, "").endsWith(`/${words.content}`))
          words.content = page.title;
      } else if (!existsSync(inRepository(target))) return;
      else if (repository !== undefined) link.attrSet("href", addressOfFile(repository, target) + anchor);
      else unlink(link, rest, target);
    }
  });
}

/** The path of a page's source in the repository, if it is not generated. */
export function sourceOf(page: string, pages: Page[]): string | undefined {
  if (page === "index.md") return "README.md";
  return pages.find(({ address }) => `${address}.md` === page)?.path;
}

function addressOfFile(repository: string, path: string): string {
  return `${repository}/${statSync(inRepository(path)).isDirectory() ? "tree" : "blob"}/main/${path}`;
}

/** Vite copies a picture that a relative path leads to. */
function pointToFile(image: Token, source: string, toRepository: string): void {
  const path = image.attrGet("src") as string;
  if (/^[a-z]+:/i.test(path)) return;
  const file = posix.join(posix.dirname(source), path);
  image.attrSet("src", [toRepository, file].join("/").replaceAll("\\", "/"));
}

/** Leaves the text of the link, and adds the path if the text does not have it. */
function unlink(link: Token, rest: Token[], path: string): void {
  const end = rest.findIndex(({ type }) => type === "link_close");
  const words = rest
    .slice(0, end)
    .map(({ content }) => content)
    .join("");
  const close = rest[end] as Token;
  for (const token of [link, close]) {
    token.type = "text";
    token.tag = "";
    token.nesting = 0;
    token.content = "";
  }
  if (!words.includes(basename(path))) {
    close.type = "html_inline";
    close.content = ` (<code>${path}</code>)`;
  }
}
