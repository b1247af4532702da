import { createMarkdownRenderer, disposeMdItInstance } from "vitepress";
import { expect, test } from "vitest";
import { sitePages } from "../src/pages.ts";
import { repositoryLinks } from "../src/repository_links.ts";
import { inRepository } from "../src/repository.ts";

const folder = inRepository("dev/site/.vitepress/pages");

/** The HTML of a text in docs/faq.md. */
async function rendered(text: string, repository?: string): Promise<string> {
  const config = (markdown: Parameters<typeof repositoryLinks>[0]): void =>
    repositoryLinks(markdown, { pages: sitePages(), folder, repository });
  // VitePress keeps the first renderer.
  disposeMdItInstance();
  const markdown = await createMarkdownRenderer(folder, { config }, "/base/");
  return markdown.render(text, { relativePath: "faq.md", path: `${folder}/faq.md`, cleanUrls: false }).trim();
}

test("links to pages lead to the site, from files and from folders", async () => {
  expect(await rendered("[one](guides/backups.md#keep) [two](../packages/v15)")).toBe(
    '<p><a href="/base/guides/backups.html#keep">one</a> <a href="/base/perdura-15/">two</a></p>',
  );
});

test("a path of the repository becomes the title of its page", async () => {
  expect(
    await rendered("[docs/reliability.md](reliability.md) [packages/v15](../packages/v15/README.md) [v](errors.md)"),
  ).toBe(
    '<p><a href="/base/reliability.html">Reliability</a> <a href="/base/perdura-15/">perdura before 16</a> ' +
      '<a href="/base/errors.html">v</a></p>',
  );
});

test("links to other files and folders become text without the address of the repository", async () => {
  const text = "[the **schemas**](../schemas), [schemas](../schemas), [`LICENSE`](../LICENSE)";
  expect(await rendered(text)).toBe("<p>the <strong>schemas</strong>, schemas, <code>LICENSE</code></p>");
  expect(await rendered("[the code](../packages/v16/src/index.ts)")).toBe(
    "<p>the code (<code>packages/v16/src/index.ts</code>)</p>",
  );
});

test("links to other files and folders lead to the repository if its address is known", async () => {
  const links = [
    ...(await rendered("[a](../schemas) [b](../LICENSE#x)", "https://a.example/b")).matchAll(/href="([^"]+)"/g),
  ];
  expect(links.map(([, link]) => link)).toEqual([
    "https://a.example/b/tree/main/schemas",
    "https://a.example/b/blob/main/LICENSE#x",
  ]);
});

test("pictures are those of the repository, and other links are unchanged", async () => {
  const html = await rendered("![x](pictures/architecture.svg) [a](https://b.example) [here](#there) [no](nothing.md)");
  expect(html).toContain('src="./../../../../docs/pictures/architecture.svg"');
  expect(html).toContain('href="https://b.example"');
  expect(html).toContain('href="#there"');
  // VitePress reports it.
  expect(html).toContain('href="./nothing.html"');
});
