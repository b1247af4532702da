import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { brokenLinks, pagesOf } from "../src/broken_links.ts";
import { PACKAGES } from "../src/packages.ts";
import { sitePages } from "../src/pages.ts";
import { inRepository } from "../src/repository.ts";
import { siteConfig } from "../src/site_config.ts";
import { type BuiltSite, buildSite } from "./built_site.ts";
import { exportedNames } from "./exported_names.ts";
import { InBrowser } from "./in_browser.ts";
import { accessibilityFaults } from "../../../test/browser/accessibility.ts";
import { NO_BROWSER } from "../../../test/browser/launch.ts";
import { needs } from "../../../test/needs.ts";

const BASE = "/perdura/";
const SITE = `https://owner.example${BASE}`;
const REPOSITORY = "https://github.example/owner/perdura";

describe("the documentation site", () => {
  let site: BuiltSite;
  let html: Map<string, string>;
  let sections: string[];
  /** Exported names of each package, by module. */
  let exports: ReturnType<typeof exportedNames>[];
  beforeAll(async () => {
    // The address without its slash, as people write it.
    const building = buildSite({ SITE_ADDRESS: SITE.slice(0, -1), SITE_REPOSITORY: REPOSITORY });
    exports = PACKAGES.map(exportedNames);
    site = await building;
    html = new Map(pagesOf(site.place).map((page) => [page, readFileSync(join(site.place, page), "utf8")]));
    sections = await searchedSections(site.place);
  });
  afterAll(() => site?.remove());
  const read = (page: string): string => html.get(page) as string;

  test.for(PACKAGES)("has a page for every name that $title exports, which the search finds", (documented) => {
    const exported = exports[PACKAGES.indexOf(documented)] as (typeof exports)[number];
    const title = documented.title.replace("+", "\\+");
    for (const [module, names] of exported) {
      // A package with one module is that module.
      const list = [...html.keys()].find((page) =>
        exported.size === 1
          ? page === `${documented.slug}/index.html`
          : page.startsWith(`${documented.slug}/`) && headingOf(read(page)) === module,
      );
      const links = linksOf(read(list as string));
      expect(names).not.toEqual([]);
      for (const name of names) {
        // A line has its own pages: none of its names leads to the other line.
        const page = links.find((link) => link.startsWith(`${documented.slug}/`) && link.endsWith(`/${name}.html`));
        expect(page, `${module}: ${name}`).toBeDefined();
        expect(headingOf(read(page as string)), page).toMatch(new RegExp(`^(?:\\w+ )*\\w+: ${name}\\b`));
        expect(read(page as string)).toMatch(new RegExp(`<title>.* ${name}\\b.* \\| ${title}</title>`));
        expect(
          sections.some((section) => section.startsWith(`${BASE}${page}#`)),
          `search: ${page}`,
        ).toBe(true);
      }
    }
  });

  test("has every page of docs/ and of the packages, in the sidebar and in the search", () => {
    const onDisk = ["docs", "packages/conformance/docs"].flatMap(markdownIn);
    const pages = sitePages();
    expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining([...onDisk, "UPGRADING.md", "SUPPORT.md"]));
    const sidebar = linksOf(read("faq.html"));
    for (const { path, address } of pages) {
      const page = `${address}.html`;
      expect(headingOf(read(page)), path).toBe(headingOf(readFileSync(inRepository(path), "utf8")));
      expect(sidebar, path).toContain(page);
      const link = BASE + page.replace(/(?<=\/)index\.html$/, "");
      expect(
        sections.some((section) => section.startsWith(`${link}#`)),
        `search: ${path}`,
      ).toBe(true);
    }
    for (const { folder } of PACKAGES) expect(pages.map(({ path }) => path)).toContain(`packages/${folder}/README.md`);
  });

  test("has a front page with links to the guides, an icon, and a page for unknown addresses", () => {
    expect(headingOf(read("index.html"))).toMatch(/^perdura/);
    expect(linksOf(read("index.html"))).toEqual(
      expect.arrayContaining(["guides/getting-started.html", "upgrading.html", "perdura-16/", "comparison.html"]),
    );
    expect(read("index.html")).toContain(`<link rel="icon" href="${BASE}favicon.svg">`);
    expect(read("404.html")).toContain(`src="${BASE}assets/`);
  });

  test("has no broken link, and refuses to end a build with one", async () => {
    expect(brokenLinks(site.place, BASE)).toEqual([]);
    const page = join(site.place, "bad.html");
    writeFileSync(
      page,
      `<a href="${BASE}repository.html#see-it-work"></a> <a href="./repository.html#no"></a> <img src="no.png">
       <a href="/other/"></a> <a href="faq.html"> <a href="//a.b">`,
    );
    onTestFinished(() => rmSync(page));
    const config = siteConfig([], [], { site: new URL(SITE), repository: undefined });
    const end = async (): Promise<void> => config.buildEnd?.({ outDir: site.place } as never);
    await expect(end()).rejects.toThrow(
      /has broken links:\nbad\.html: \.\/repository\.html#no\nbad\.html: \/other\/\nbad\.html: no\.png$/,
    );
    expect(config.ignoreDeadLinks).toBe(false);
  });

  test("has a map of all pages, with their addresses", () => {
    const map = readFileSync(join(site.place, "sitemap.xml"), "utf8");
    const listed = [...map.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address]) => address);
    const pages = [...html.keys()].filter((page) => page !== "404.html");
    expect(listed.toSorted()).toEqual(pages.map((page) => SITE + page.replace(/(?<=^|\/)index\.html$/, "")).toSorted());
  });

  test("says what each page is about, with a picture, where a link to it is shown", () => {
    const metaOf = (page: string, name: string): string | undefined =>
      new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`)
        .exec(read(page))?.[1]
        ?.replace(/&(lt|gt|amp);/g, (_, entity: "lt" | "gt" | "amp") => ({ lt: "<", gt: ">", amp: "&" })[entity]);
    for (const page of html.keys()) {
      if (page === "404.html") continue;
      expect(metaOf(page, "og:title"), page).toContain("perdura");
      expect(metaOf(page, "og:image"), page).toBe(`${SITE}link.png`);
      expect(metaOf(page, "description"), page).toBe(metaOf(page, "og:description"));
    }
    expect(existsSync(join(site.place, "link.png"))).toBe(true);
    expect(metaOf("guides/backups.html", "description")).toMatch(/^How to store versions of a pattern library on a /);
    expect(metaOf("perdura-16/metrics_collector/MetricsCollector.html", "description")).not.toContain("perdura / ");
  });

  test("has links for editing the sources of pages, where the address of the repository is known", () => {
    for (const [page, source] of [
      ["guides/backups.html", "docs/guides/backups.md"],
      ["perdura-16/index.html", "packages/v16/README.md"],
    ] as const)
      expect(read(page)).toContain(`href="${REPOSITORY}/edit/main/${source}"`);
    // The sources of the reference are docstrings.
    expect(read("perdura-16/metrics_collector/MetricsCollector.html")).not.toContain("/edit/");

    const { transformPageData, themeConfig, sitemap, base } = siteConfig(sitePages(), [], {
      site: undefined,
      repository: undefined,
    });
    const data = { relativePath: "guides/backups.md", frontmatter: {} };
    void transformPageData?.(data as never, {} as never);
    expect(data.frontmatter).toMatchObject({ editLink: false });
    expect({ sitemap, base, socialLinks: themeConfig?.socialLinks }).toEqual({ base: "/" });
  });

  test("leads from a name of a line to the same name of the other", () => {
    const choices = (page: string): string[] => linksOf(read(page)).filter((link) => /^perdura-1[56]\b/.test(link));
    expect(choices("perdura-16/metrics_collector/MetricsCollector.html")).toContain(
      "perdura-15/persistence/MetricsCollector.html",
    );
    expect(choices("perdura-15/persistence/MetricsCollector.html")).toContain(
      "perdura-16/metrics_collector/MetricsCollector.html",
    );
    // The 16+ line has no StateManager.
    expect(choices("perdura-15/persistence/StateManager.html")).toContain("perdura-16/");
    expect(choices("faq.html")).toEqual(expect.arrayContaining(["perdura-15/", "perdura-16/"]));
  });

  test("contains no path of this machine and no private name", () => {
    const texts = readdirSync(site.place, { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.(?:html|js|json|xml)$/.test(file),
    );
    for (const file of texts) {
      const text = readFileSync(join(site.place, file), "utf8");
      for (const secret of [inRepository("."), site.place, "internals/src", "@perdura/internals", "CollectorBase"])
        expect(text.includes(secret), `${file}: ${secret}`).toBe(false);
    }
    expect(texts.length).toBeGreaterThan(600);
  });

  describe("in a browser", needs("browser", NO_BROWSER), () => {
    let browser: InBrowser;
    beforeAll(async () => {
      browser = await InBrowser.open(site.place, BASE);
    });
    afterAll(() => browser?.close());

    test("finds a misspelt method with an excerpt, without any request to another server", async () => {
      const page = await browser.page({ viewport: { width: 1300, height: 900 } });
      await page.goto(browser.root);
      await page.click(".VPNavBarSearch button");
      await page.fill("#localsearch-input", "recordInteracton");
      const result = page.locator(".result").first();
      await result.locator(".excerpt", { hasText: "Adds one interaction" }).waitFor();
      expect(await result.innerText()).toContain("perdura 16+");
      await result.click();
      await page.waitForURL(/#recordinteraction$/);
      expect(page.url()).toContain("perdura-16/");
      const heading = page.locator("#recordinteraction");
      expect(await heading.innerText()).toMatch(/^recordInteraction\(\)/);
      await expect.poll(async () => (await heading.boundingBox())?.y ?? -1).toBeLessThan(900);
      expect(browser.complaints).toEqual([]);
    });

    test.each(["light", "dark"] as const)("can be read and used by all people, %s", async (colorScheme) => {
      const page = await browser.page({ viewport: { width: 1300, height: 900 }, colorScheme });
      for (const path of ["", "guides/getting-started.html", "errors.html", "perdura-16/metrics_collector.html"]) {
        await page.goto(`${browser.root}${path}`);
        expect(await accessibilityFaults(page), path).toEqual([]);
      }
    });

    test("finds the right page first for what people ask", async () => {
      const page = await browser.page({ viewport: { width: 1300, height: 900 } });
      await page.goto(browser.root);
      const found: [string, string | undefined][] = [];
      for (const [words, right] of SEARCHES) {
        await page.click(".VPNavBarSearch button");
        await page.fill("#localsearch-input", words);
        const first = page.locator(".result").first();
        await first.waitFor();
        // The results of the letters before are shown until those of all letters are there.
        await expect.poll(() => first.getAttribute("href"), { message: words }).toMatch(right);
        found.push([words, (await first.getAttribute("href")) ?? undefined]);
        await page.keyboard.press("Escape");
      }
      expect(found).toHaveLength(20);
    });

    test("keeps the name when the reader switches the line", async () => {
      const page = await browser.page({ viewport: { width: 1300, height: 900 } });
      await page.goto(`${browser.root}perdura-16/metrics_collector/UserStats.html`);
      const menu = page.locator(".VPNavBarMenu button", { hasText: "perdura 16+" });
      await menu.hover();
      await page.locator(".VPNavBarMenu .VPMenuLink a", { hasText: "perdura before 16" }).click();
      await page.waitForURL(/perdura-15\/persistence\/UserStats\.html$/);
      await page.locator(".VPNavBarMenu button", { hasText: "perdura before 16" }).waitFor();
      expect(await page.locator("h1").innerText()).toMatch(/^Interface: UserStats/);
    });

    test.for(["light", "dark"] as const)("fits on a phone in %s colours", async (colorScheme) => {
      const page = await browser.page({ viewport: { width: 390, height: 844 }, colorScheme });
      const tooWide: string[] = [];
      const longest = [...html].filter(([path]) => !path.startsWith("404")).sort((a, b) => b[1].length - a[1].length);
      for (const path of ["index.html", ...longest.slice(0, 12).map(([name]) => name)]) {
        await page.goto(browser.root + path);
        if ((await page.evaluate<number>("document.documentElement.scrollWidth")) > 390) tooWide.push(path);
      }
      expect(tooWide).toEqual([]);
      const background = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
      expect(background).toBe(colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(27, 27, 31)");
    });

    test("shows a page for an unknown address", async () => {
      const page = await browser.page({ viewport: { width: 390, height: 844 } });
      await page.goto(`${browser.root}no/such/page.html`);
      await page.locator(".NotFound a", { hasText: "Go to the front page" }).click();
      await page.waitForURL(browser.root);
    });
  });
});

/** Words that people search for, each with the page that answers. */
const SEARCHES: readonly [words: string, right: RegExp][] = [
  ["delete a user", /deleting-data/],
  ["gdpr", /deleting-data/],
  ["SQLITE_BUSY", /operations/],
  ["two processes", /operations\.html#several-processes/],
  ["full disk", /operations\.html#a-full-disk/],
  ["power cut", /operations|reliability/],
  ["langchain", /guides\/agents/],
  ["which tool fails", /guides\/agents/],
  ["opentelemetry", /\/otel\/#/],
  ["mcp", /\/mcp\/#/],
  ["electron", /faq/],
  ["serverless", /faq/],
  ["jest", /faq/],
  ["supabase", /guides\/postgresql/],
  ["drizzle", /comparison/],
  ["restore a backup", /restore-a-backup|guides\/backups/],
  ["downgrade", /\/migrator\/#downgrade|upgrading/],
  ["StateManager", /getting-started|perdura-15/],
  ["level", /getting-started/],
  ["trust", /\/inspect\/#trust/],
];

/** Addresses of the sections that the search knows. */
async function searchedSections(place: string): Promise<string[]> {
  const folder = join(place, "assets", "chunks");
  const file = readdirSync(folder).find((name) => name.startsWith("@localSearchIndexroot")) as string;
  const { default: index } = (await import(pathToFileURL(join(folder, file)).href)) as { default: string };
  return Object.values((JSON.parse(index) as { documentIds: Record<string, string> }).documentIds);
}

/** Links of a page to other pages, from the root of the site; of a folder its page `index.html`, too. */
function linksOf(html: string): string[] {
  const links = [...html.matchAll(/href="([^"#]+)"/g)].map(([, link]) => link as string);
  return links
    .filter((link) => link.startsWith(BASE))
    .map((link) => link.slice(BASE.length))
    .flatMap((link) => (link.endsWith("/") ? [link, `${link}index.html`] : [link]));
}

function markdownIn(folder: string): string[] {
  const names = readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".md")).map((name) => `${folder}/${name}`);
}

/** The heading of a page of the site, or of a Markdown file. */
function headingOf(text: string): string | undefined {
  const heading = /<h1[^>]*>(.*?)<\/h1>/s.exec(text)?.[1] ?? /^# (.+)$/m.exec(text)?.[1];
  return heading?.replaceAll(/<[^>]*>|`|\u200B/g, "").trim();
}
