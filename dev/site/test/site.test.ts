import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readBundle } from "../src/bundles.ts";
import { followLinks, pagesOf } from "../src/links.ts";
import { PACKAGES } from "../src/packages.ts";
import { sitePages } from "../src/pages.ts";
import { inRepository } from "../src/repository.ts";
import { type BuiltSite, buildOnce } from "./built_site.ts";
import { exportedNames } from "./exported_names.ts";
import { searchAndScroll } from "./search_and_scroll.ts";
import { BROWSER_NOTE, NO_BROWSER } from "../../../packages/conformance/test/reports/chromium.ts";

/** Index of the search; a word in the text of a page is in `document`, by the number of the page's row. */
interface Searched {
  rows: { name: string; url: string; parent?: string }[];
  index: { invertedIndex: [word: string, { document: Record<string, object> }][] };
}

describe("the documentation site", () => {
  let site: BuiltSite;
  let rows: Searched["rows"];
  let searchedPages: Set<string>;
  beforeAll(() => {
    site = buildOnce();
    const searched = readBundle(site.place, "search") as Searched;
    rows = searched.rows;
    searchedPages = new Set(searched.index.invertedIndex.flatMap(([, { document }]) => Object.keys(document)));
  });
  afterAll(() => site?.remove());
  const read = (file: string): string => readFileSync(join(site.place, file), "utf8");

  test.for(PACKAGES)("has a page for every name that $title exports", (documented) => {
    const exported = exportedNames(documented);
    for (const [module, names] of exported) {
      // A package with one module is that module; with several, one of them has its name.
      const over = exported.size === 1 ? undefined : documented.title;
      const page = rows.find(({ name, parent }) => name === module && parent === over);
      const links = linksOf(read(page!.url)).map((link) => join(dirname(page!.url), link));
      expect(names).not.toEqual([]);
      for (const name of names) {
        // A line has its own pages: none of its names leads to the other line.
        const file = links.find((link) => link.startsWith(`${documented.slug}/`) && link.endsWith(`/${name}.html`));
        expect(file, `${module}: ${name}`).toBeDefined();
        expect(read(file!), file).toMatch(new RegExp(`<h1>(?:\\w+ )+${name}\\b`));
        expect(
          rows.some((row) => row.name === name && row.url === file),
          `search: ${file}`,
        ).toBe(true);
      }
    }
  });

  test("has every page of docs/ and of the packages, and can search their text", () => {
    const onDisk = ["docs", "packages/conformance/docs"].flatMap(markdownIn);
    const pages = sitePages();
    expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining([...onDisk, "UPGRADING.md", "SUPPORT.md"]));
    for (const { title, path } of pages) {
      const row = rows.find(({ name, parent }) => name === title && parent === undefined);
      expect(row, path).toBeDefined();
      expect([...searchedPages], path).toContain(String(rows.indexOf(row!)));
      expect(headingOf(read(row!.url)), path).toBe(headingOf(readFileSync(inRepository(path), "utf8")));
    }
    expect(headingOf(read("index.html"))).toBe("perdura");
    for (const { slug, folder } of PACKAGES) {
      const [, first = ""] = readFileSync(inRepository(`packages/${folder}/README.md`), "utf8").split("\n\n");
      expect(read(`${slug}.html`), folder).toContain(
        first
          .split(/[:*`[]/)[0]!
          .split("\n")[0]!
          .trim(),
      );
    }
  });

  test("has no broken link, and followLinks finds one", () => {
    const page = join(site.place, "bad.html");
    writeFileSync(
      page,
      '<a href="index.html#see-it-work"></a> <a href="index.html#no"></a> <img src="media/no.png"> <a href="//a.b">',
    );
    onTestFinished(() => rmSync(page));
    const { dead, external } = followLinks(site.place);
    expect(dead).toEqual(["bad.html: index.html#no", "bad.html: media/no.png"]);
    expect(external).toContain("//a.b");
  });

  test("contains no path of this machine and no private name", () => {
    const texts = pagesOf(site.place).map((page): [string, string] => [page, read(page)]);
    texts.push(["search", JSON.stringify(rows)], ["navigation", JSON.stringify(readBundle(site.place, "navigation"))]);
    for (const [page, text] of texts)
      for (const secret of [
        inRepository("."),
        process.cwd(),
        site.place,
        "packages/internals",
        "internals/src",
        "@perdura/internals",
      ])
        expect(text.includes(secret), `${page}: ${secret}`).toBe(false);
    expect(texts.length).toBeGreaterThan(200);
  });

  test.skipIf(NO_BROWSER)(
    `finds a method by search, has two colour schemes, and fits on a phone${BROWSER_NOTE}`,
    async () => {
      const pages = ["index.html", "upgrading.html", "rulings.html", "perdura-15/persistence/StateManager.html"];
      const seen = await searchAndScroll(site.place, "recordInteraction", pages);
      expect(seen.complaints).toEqual([]);
      expect(seen.landedAt).toMatch(/^perdura-16\/.+\/Metrics\w+\.html#recordinteraction(?:-1)?$/);
      expect(seen.inView).toBe("recordInteraction");
      expect(seen.tooWide).toEqual([]);
      expect(seen.backgrounds.light).not.toBe(seen.backgrounds.dark);
    },
  );
});

function linksOf(html: string): string[] {
  return [...html.matchAll(/href="([^"#]+)"/g)].map(([, link]) => link as string);
}

function markdownIn(folder: string): string[] {
  const names = readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md")).map((name) => `${folder}/${name}`);
}

/** The heading of a page of the site, or of a Markdown file. */
function headingOf(text: string): string | undefined {
  const heading = /<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1] ?? /^# (.+)$/m.exec(text)?.[1];
  return heading?.replaceAll(/<[^>]*>|`/g, "").trim();
}
